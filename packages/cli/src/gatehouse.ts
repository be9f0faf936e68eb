#!/usr/bin/env node
/** The `gatehouse` command. Everything a user runs starts here. */
import { buildProgram } from './program.ts';
import { startProcess } from './runtime/start-process.ts';

await startProcess('gatehouse', buildProgram);
