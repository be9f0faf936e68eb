/** Labels that a command finds out again and again. A command that fails keeps its last value, and its operator is told. */

import { spawn } from 'node:child_process';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { labelValue } from '@gatehouse/contract/std/resource-fields';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { systemEnvironment } from '../runtime/children/environment.ts';
import type { WithoutDescriptors } from '../runtime/children/without-descriptors.ts';
import type { AgentLog } from '../runtime/log.ts';

const MAX_MS = 10_000;
const MAX_BYTES = 64 * 1024;

export interface LabelCommand {
  command: readonly string[];
  /** In milliseconds. */
  period: number;
}

export interface LabelCommandsOptions {
  commands: Readonly<Record<string, LabelCommand>>;
  closer: WithoutDescriptors | undefined;
  /** Called with all values when one has changed. */
  onChange(values: Record<string, string>): void;
  log: AgentLog;
}

export interface LabelCommands {
  /** Resolves when each has run once, whatever came of it. */
  readonly first: Promise<void>;
  stop(): void;
}

export function runLabelCommands({ commands, closer, onChange, log }: LabelCommandsOptions): LabelCommands {
  const values: Record<string, string> = {};
  const failing = new Set<string>();
  const stopping = new AbortController();
  const timers = new Set<NodeJS.Timeout>();

  const runOnce = async (label: string, { command, period }: LabelCommand) => {
    try {
      const value = await firstLineOf(command, closer, Math.min(period, MAX_MS), stopping.signal);
      if (failing.delete(label)) log.info({ label }, 'the command of a label works again');
      if (values[label] === value) return;
      values[label] = value;
      onChange({ ...values });
    } catch (error) {
      if (stopping.signal.aborted || failing.has(label)) return;
      failing.add(label);
      const reason = errorMessage(error);
      log.warn({ label, reason, kept: values[label] }, 'the command of a label failed');
    }
  };
  const keepRunning = async (label: string, command: LabelCommand) => {
    await runOnce(label, command);
    if (stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void keepRunning(label, command);
    }, command.period).unref();
    timers.add(timer);
  };

  const first = Promise.all(Object.entries(commands).map(([label, command]) => keepRunning(label, command)));
  return {
    first: first.then(() => {}),
    stop() {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Only the first line counts; who prints more is not heard out. */
export async function firstLineOf(
  command: readonly string[],
  closer: WithoutDescriptors | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string> {
  const [program = '', ...rest] = command;
  const { file, args } = closer ? closer(program, rest) : { file: program, args: rest };
  const { output, code } = await new Promise<{ output: string; code: number | string | null }>((resolve, reject) => {
    const child = spawn(file, args, {
      env: systemEnvironment(),
      cwd: '/',
      stdio: ['ignore', 'pipe', 'ignore'],
      // A group of its own: what it started dies with it.
      detached: true,
    });
    const end = (reason: Error) => {
      reject(reason);
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    const timer = setTimeout(() => end(new Error(`it took longer than ${timeoutMs / 1000} s`)), timeoutMs);
    const forget = whenAborted(signal, () => end(new Error('the agent is stopping')));
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      if (size < MAX_BYTES) chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) end(new Error(`it printed more than ${MAX_BYTES / 1024} KiB`));
    });
    child.on('error', end);
    child.on('close', (exitCode, killedBy) =>
      resolve({ output: Buffer.concat(chunks).toString(), code: exitCode ?? killedBy }),
    );
    child.on('close', () => {
      clearTimeout(timer);
      forget();
    });
  });
  if (code !== 0) throw new Error(`it ended with ${code}`);
  const value = labelValue.safeParse((output.split('\n')[0] ?? '').trim());
  if (!value.success) throw new Error(`its first line ${value.error.issues[0]?.message ?? 'is no value of a label'}`);
  return value.data;
}
