/** Makes what administrators enter what its document says. */
import { createHash } from 'node:crypto';
import { type ApplyDeps, type Outcome, outcome, requireRevision, UNCHANGED } from './apply-deps.ts';
import type { ReadDocument } from './read-document.ts';

export async function applyResource(
  { tx, asking, resources, people }: ApplyDeps,
  { kind, name, revision, resource }: Extract<ReadDocument, { resource: unknown }>,
): Promise<Outcome> {
  const { before, after } = await resources
    .find((each) => each.kind === kind)!
    .write(tx, resource, {
      ...asking,
      people,
      expect: (held) =>
        requireRevision(`${kind} '${name}'`, revision, held === undefined ? undefined : revisionOf(held)),
    });
  return before === after ? UNCHANGED : outcome(`${kind}/${name}`, before, after);
}

/** Changes with anything that its document says. */
export function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
