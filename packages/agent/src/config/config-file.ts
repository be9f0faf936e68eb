/** Reads the agent's configuration file. */
import { readFileSync, statSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { AgentConfigError } from './config-error.ts';

const MAX_BYTES = 1024 * 1024;

export function readConfigFile(file: string): Record<string, unknown> {
  const document = parseDocument(readText(file), { prettyErrors: true });
  const [error] = document.errors;
  if (error) throw new AgentConfigError([{ key: file, message: error.message.split('\n')[0] ?? 'is not valid YAML' }]);
  const values: unknown = document.toJS();
  if (values === null || values === undefined) return {};
  if (typeof values !== 'object' || Array.isArray(values)) {
    throw new AgentConfigError([{ key: file, message: 'must hold keys and values' }]);
  }
  // A key whose lines are all commented out reads as null: it was not given.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function readText(file: string): string {
  try {
    const facts = statSync(file);
    if (facts.size > MAX_BYTES) throw new AgentConfigError([{ key: file, message: 'is larger than 1 MiB' }]);
    // Its commands run as root, and what it allows is dialled: whoever can write it is the agent.
    if (process.getuid?.() === 0 && (facts.mode & 0o022) !== 0) {
      throw new AgentConfigError([{ key: file, message: 'can be changed by other users: chmod go-w it' }]);
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof AgentConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const message = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    throw new AgentConfigError([{ key: file, message }]);
  }
}
