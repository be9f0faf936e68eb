/** Holds that rights are asked for when they are used: nothing that outlives a call has a place for a copy of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = resolve(import.meta.dirname, '../packages/gateway/src');

/** What holds roles or traits, or was made of them: true for one decision only. */
const RIGHTS = /\b(Actor|Subject|LiveSignIn|Access|Acl)\b/;
/** Reads somebody anew, or takes somebody for the time of a call. */
const FUNCTION = /=>/;

/** The arguments of one call, gone with it. A thing that lives on does not belong here: it keeps a `Caller`. */
const OF_ONE_CALL = [
  'access/containment.ts Person',
  'access/label-gifts.ts Labelling',
  'access/reach.ts Naming',
  'identity/apply/apply-deps.ts ApplyDeps',
  'identity/apply/export-documents.ts ExportWish',
  'identity/apply/resource-documents.ts Asking',
  'identity/apply/resource-documents.ts WriteAsked',
  'identity/connectors/manage/save-connector.ts SaveDeps',
  'identity/users/invite-user.ts Invitation',
  'sessions/host/hosting.ts FollowRequest',
  'sessions/connection-tests/connection-test.ts ConnectionTest',
  'sessions/connection-tests/draft-test.ts DraftTest',
  'sessions/connection-tests/try-draft.ts AskedDraft',
  'identity/explain/explain-access.ts AccessQuestion',
  'identity/explain/explain-names.ts NamesQuestion',
  'identity/explain/record-denials.ts RefusedCall',
  'identity/explain/what-if.ts AffectedUser',
  'kinds/node/files/file-handlers.ts Called',
  'kinds/node/files/scp-handlers.ts Called',
  'platform/http/call.ts Call',
  'identity/locks/enforce-lock.ts Doer',
  'identity/locks/known-target.ts Looking',
  'identity/locks/make-lock.ts Doing',
  'kinds/node/edit-node.ts Edit',
];

/** The rights themselves, and the memory of them that changes drop. */
const MEMORY = [
  'platform/http/actor.ts Actor',
  'access/create-access.ts Bound',
  'identity/stores/sign-in-cache.ts LiveSignIn',
];

/** Rounds over many, in which each person is read once. */
const OF_ONE_ROUND = ['sessions/host/watch-sessions.ts', 'sessions/live/active-sessions.ts'];

interface Block {
  file: string;
  kind: 'class' | 'interface';
  name: string;
  lines: string[];
}

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing/'))
  .map((name) => ({ name: relative('.', name), text: readFileSync(join(SOURCES, name), 'utf8') }));

const blocks = files.flatMap(({ name, text }) => blocksOf(name, text));

/** By the layout our formatter gives: a block begins and ends at the left margin, its members stand two spaces in. */
function blocksOf(file: string, text: string): Block[] {
  const found: Block[] = [];
  let block: Block | undefined;
  for (const line of text.split('\n')) {
    const head = /^(?:export )?(?:abstract )?(class|interface|type) (\w+).*\{$/.exec(line);
    if (head) {
      const kind = head[1] === 'class' ? 'class' : 'interface';
      block = { file, kind, name: head[2] as string, lines: [] };
    } else if (/^\}/.test(line)) {
      if (block) found.push(block);
      block = undefined;
    } else block?.lines.push(line);
  }
  return found;
}

/** `name: Type` and `readonly #name: Type`, not methods. */
function fieldsWithRights({ lines }: Block): string[] {
  return lines.filter((line) => {
    const field = /^ {2}(?:(?:private|readonly|static|declare) )*#?\w+[?!]?: (.*)$/.exec(line);
    return field !== null && RIGHTS.test(field[1] as string) && !FUNCTION.test(field[1] as string);
  });
}

test('the walk finds what it is about', () => {
  expect(blocks.filter(({ kind }) => kind === 'class').length).toBeGreaterThan(30);
  expect(blocks.some(({ name }) => name === 'SignedInSocket')).toBe(true);
  const probe = 'class Kept {\n  readonly #who: Actor;\n  ask(actor: Actor): void;\n}\n';
  expect(blocksOf('probe', probe).flatMap(fieldsWithRights)).toEqual(['  readonly #who: Actor;']);
});

test('no class has a field for what somebody held at some moment', () => {
  const wrong = blocks
    .filter(({ kind }) => kind === 'class')
    .flatMap((block) => fieldsWithRights(block).map((line) => `${block.file} ${block.name}:${line}`));

  expect(wrong).toEqual([]);
});

test('of what is passed around, only the arguments of one call carry rights', () => {
  const wrong = blocks
    .filter(({ kind }) => kind === 'interface')
    .filter((block) => fieldsWithRights(block).length > 0)
    .map(({ file, name }) => `${file} ${name}`)
    .filter((name) => ![...OF_ONE_CALL, ...MEMORY].includes(name));

  expect(wrong).toEqual([]);
});

test('nothing is kept by name, by sign-in or by session together with rights', () => {
  const wrong = files
    .filter(({ name, text }) => /(Map|Set|Array)<[^>=]*\b(Actor|Subject)\b/.test(text) && !OF_ONE_ROUND.includes(name))
    .map(({ name }) => name);

  expect(wrong).toEqual([]);
});
