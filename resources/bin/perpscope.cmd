@echo off
rem Runs the command line of the installed app; see the file "perpscope" next to this one.
"%~dp0..\..\Perpscope.exe" --cli -- %*
