@echo off
rem The command line of the installed app; see the file "perpscope" beside this one.
"%~dp0..\..\Perpscope.exe" --cli -- %*
