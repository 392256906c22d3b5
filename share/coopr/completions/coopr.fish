# SPDX-License-Identifier: Apache-2.0
#
# Completion for fish, printed by coopr completion fish. What can stand at the cursor is said by coopr-completion --line, which
# asks the command itself.

function __coopr_complete
    set -l word (commandline -ct)
    set -l lines (coopr-completion --line -- (commandline -opc) "$word" 2>/dev/null)
    set -l before (string match -r -- '^--[a-z-]+=' "$word"; or echo)
    set -l path (string replace -r -- '^--[a-z-]+=' '' "$word")

    switch "$lines[1]"
        case files
            string replace -r -- '^' "$before" (__fish_complete_path "$path")
        case folders
            string replace -r -- '^' "$before" (__fish_complete_directories "$path")
        case words list
            string join -- \n $lines[2..-1]
    end
end

for name in coopr (complete -C coopr- | string match -r '^coopr-[a-z-]+')
    complete -c $name -f -a '(__coopr_complete)'
end
