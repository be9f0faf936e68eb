/** Reads labels as people write them on a command line: env=prod,team=blue. */
import { InvalidArgumentError } from 'commander';

export function labelList(text: string, before: Record<string, string> = {}): Record<string, string> {
  const labels = new Map(Object.entries(before));
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    if (at < 0 || name === '') throw new InvalidArgumentError('write labels like env=prod,team=blue.');
    labels.set(name, part.slice(at + 1).trim());
  }
  return Object.fromEntries(labels);
}
