#!/usr/bin/ruby
# SPDX-License-Identifier: Apache-2.0
#
# The interface of chef-solo, as far as automator/chef uses it, for machines without it: its options, its settings, run lists of recipes and
# roles, attributes and handlers; recipes have only file, execute and log.
require 'json'
require 'fileutils'

if ARGV.include?('--version')
  puts 'Chef Infra Client: 0.0.1'
  exit
end

class Chef
  class Handler
    attr_accessor :run_status
  end
end
module Kernel
  alias stub_require require
  def require(name)
    name == 'chef/handler' || stub_require(name)
  end
end

class Settings
  def initialize
    @its = { report_handlers: [], exception_handlers: [] }
  end

  def method_missing(name, *values)
    values.empty? ? @its.fetch(name) : @its[name] = values.first
  end
end

class Recipe
  attr_reader :node, :updated

  def initialize(node)
    @node = node
    @updated = []
    @content = nil
  end

  def content(text)
    @content = text
  end

  def file(path, &block)
    instance_eval(&block)
    return if File.exist?(path) && File.read(path) == @content
    temporary = File.join(Dir.tmpdir, 'chef-file')
    File.write(temporary, @content)
    FileUtils.mv(temporary, path)
    @updated << path
  end

  def execute(command)
    IO.popen([*%w[setsid -w /bin/sh -c], command], err: %i[child out]) { |io| IO.copy_stream(io, STDOUT) }
    raise "#{command}: exited with #{$?.exitstatus}" unless $?.success?
    @updated << command
  end

  def log(text)
    puts text
  end
end

options = Hash[ARGV.each_cons(2).select { |name, _| name =~ /\A-[cjo]\z/ }]
settings = Settings.new
settings.instance_eval(File.read(options['-c']))
recipe = Recipe.new(JSON.parse(File.read(options['-j'])))
STDOUT.sync = true
expand = lambda do |item|
  case item
  when /\Arole\[(.*)\]\z/
    path = settings.role_path.map { |folder| "#{folder}/#{$1}.json" }.find { |role| File.exist?(role) }
    JSON.parse(File.read(path))['run_list'].flat_map(&expand)
  when /\Arecipe\[([^:]*)(?:::(.*))?\]\z/
    [[$1, $2 || 'default']]
  else
    raise "#{item}: not in a run list"
  end
end
Status = Struct.new(:updated_resources)
begin
  options['-o'].split(',').flat_map(&expand).each do |cookbook, name|
    path = settings.cookbook_path.map { |folder| "#{folder}/#{cookbook}/recipes/#{name}.rb" }.find { |file| File.exist?(file) }
    raise "Cookbook #{cookbook} not found" unless path
    recipe.instance_eval(File.read(path))
  end
  handlers = settings.report_handlers
rescue RuntimeError => e
  puts "[2026-11-27T00:00:00+00:00] FATAL: #{e.message}"
  handlers = settings.exception_handlers
end
handlers.each do |handler|
  handler.run_status = Status.new(recipe.updated)
  handler.report
end
exit e ? 1 : 0
