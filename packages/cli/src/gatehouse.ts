#!/usr/bin/env node
/** The `gatehouse` command. Everything a user runs starts here. */
import { buildProgram } from './program.ts';
import { startProcess } from './start-process.ts';

await startProcess('gatehouse', buildProgram);
