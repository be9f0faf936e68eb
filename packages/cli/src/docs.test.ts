import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TraitMapping } from '@gatehouse/contract/identity/connectors/connector-document';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { call } from '@gatehouse/contract/wire/client';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { mapTraits } from '@gatehouse/gateway/identity/connectors/mapping/map-traits';
import { putResources } from '@gatehouse/gateway/inventory/resource-store';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type CommandLine, startCommandLine } from '../testing/command-line.ts';
import { kindIn } from './input/connector-text.ts';

const DOCS = new URL('../../../docs/', import.meta.url);
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

interface Block {
  language: string;
  text: string;
}

function blocksOf(page: string): Block[] {
  const found = readFileSync(new URL(page, DOCS), 'utf8').matchAll(/^```(yaml|console)\n([\s\S]*?)^```$/gm);
  return [...found].map(([, language = '', text = '']) => ({ language, text }));
}

function documentsOf(page: string): string[] {
  return blocksOf(page).flatMap(({ language, text }) => (language === 'yaml' ? [text] : []));
}

/** Documents become the files that their first lines name; what a command prints is what the page says. */
async function follow(commands: CommandLine<unknown>, blocks: readonly Block[]): Promise<void> {
  for (const { language, text } of blocks) {
    if (language === 'yaml') {
      const name = /^# (\S+\.yaml)$/m.exec(text)?.[1] ?? 'unnamed.yaml';
      writeFileSync(join(commands.folder, name), text);
      continue;
    }
    for (const example of text.split(/^\$ /m).slice(1)) {
      const [line = '', ...printed] = example.split('\n');
      expect({ line, printed: await output(commands, line) }).toEqual({ line, printed: printed.join('\n') });
    }
  }
}

async function started(): Promise<CommandLine<IdentityGateway>> {
  const commands = await startCommandLine(() => startIdentityGateway());
  await commands.world.addUser('admin', { roles: ['editor'] });
  return commands;
}

test('every example of docs/access.md gives what the page says', async () => {
  const blocks = blocksOf('access.md');
  expect(blocks.length).toBeGreaterThan(8);
  const commands = await started();
  const { world: gateway } = commands;
  try {
    const nodes = [
      ['web-1', { env: 'dev' }],
      ['web-2', { env: 'dev' }],
      ['db-1', { env: 'prod', team: 'blue' }],
      ['db-2', { env: 'prod', team: 'green' }],
    ] as const;
    await gateway.storage.db.transaction().execute((tx) =>
      putResources(
        tx,
        nodes.map(([name, labels]) => ({
          cluster: 'localhost',
          kind: 'node',
          id: `id-${name}`,
          name,
          labels,
          spec: {},
          owner: '',
          expires: undefined,
          searchWords: [],
        })),
        0,
      ),
    );
    await follow(commands, blocks);
  } finally {
    await commands.close();
  }
}, 60_000);

test('every document of docs/sign-in-providers.md can be saved, and every example gives what the page says', async () => {
  const blocks = blocksOf('sign-in-providers.md');
  const documents = documentsOf('sign-in-providers.md');
  expect(documents.length).toBeGreaterThan(8);
  const commands = await started();
  const { folder } = commands;
  try {
    for (const name of ['try', 'github']) writeFileSync(join(folder, `${name}.secret`), `secret of ${name}\n`);
    await follow(commands, blocks);
    for (const content of documents) {
      const checked = call(localSend(folder), connectorTestRoutes.check, { body: { kind: kindIn(content), content } });
      await expect(checked, content).resolves.toMatchObject({ enter: expect.anything() });
      expect(await lacksIn(checked), content).toEqual([]);
    }
  } finally {
    await commands.close();
  }
}, 60_000);

/** Somebody of each provider, as it tells of them: who is to get a login, and who means to be root. */
const PEOPLE: Record<string, { says: Record<string, string[]>; logins: string[] }[]> = {
  try: [{ says: { groups: ['ops'] }, logins: ['deploy'] }],
  github: [
    { says: { login: ['ann'], teams: ['acme/platform'] }, logins: ['deploy'] },
    { says: { login: ['root'], teams: ['other/platform'] }, logins: [] },
  ],
  google: [
    { says: { hd: ['acme.example'], email: ['ann.lee@acme.example'] }, logins: ['ann.lee'] },
    { says: { email: ['root@evil.example'] }, logins: [] },
  ],
  entra: [
    { says: { preferred_username: ['ann@acme.example'] }, logins: ['ann'] },
    { says: { preferred_username: ['root_evil.example#EXT#@acme.onmicrosoft.com'] }, logins: [] },
  ],
  okta: [
    { says: { preferred_username: ['ann@acme.example'], groups: ['gatehouse-platform'] }, logins: ['ann'] },
    { says: { preferred_username: ['root@evil.example'] }, logins: [] },
  ],
  'okta-saml': [{ says: { groups: ['gatehouse-platform'] }, logins: ['deploy'] }],
  keycloak: [{ says: { preferred_username: ['ann'], groups: ['platform'] }, logins: ['ann'] }],
  gitlab: [
    { says: { nickname: ['ann'], groups_direct: ['acme/platform'] }, logins: ['deploy'] },
    { says: { nickname: ['root'], groups_direct: ['evil/platform'] }, logins: [] },
  ],
  authentik: [{ says: { preferred_username: ['ann'], groups: ['platform'] }, logins: ['ann'] }],
  auth0: [{ says: { 'https://acme.example/roles': ['platform'] }, logins: ['deploy'] }],
  corp: [{ says: { uid: ['ann'], memberOf: ['cn=gatehouse-access,ou=groups'] }, logins: ['ann'] }],
  'with-logins': [{ says: { groups: ['ops'], email: ['ann@acme.example'] }, logins: ['deploy', 'ann'] }],
  'with-traits': [{ says: { unix_login: ['ann'] }, logins: ['ann'] }],
};

test('every document of docs/sign-in-providers.md gives logins, by what its provider says and people cannot choose', () => {
  const given = documentsOf('sign-in-providers.md').map((content) => {
    const { metadata, spec } = parse(content) as { metadata: { name: string }; spec: { traits?: TraitMapping[] } };
    const loginsOf = ({ says }: { says: Record<string, string[]> }) =>
      mapTraits(spec.traits, new Map(Object.entries(says)), new Set(['logins'])).traits.logins ?? [];
    return [metadata.name, PEOPLE[metadata.name]?.map(loginsOf)];
  });

  expect(given).toEqual(Object.entries(PEOPLE).map(([name, people]) => [name, people.map(({ logins }) => logins)]));
});

/** What the gateway notes on a document, beside the secret that stands elsewhere. */
async function lacksIn(checked: Promise<{ notes: readonly string[] }>): Promise<string[]> {
  return (await checked).notes.filter((note) => !note.includes('client_secret'));
}

/** What appears on the terminal; ids that are new every time are written `<id>`. */
async function output(commands: CommandLine<unknown>, line: string): Promise<string> {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  expect(words.shift()).toBe('gatehouse');
  const { printed } = await commands.local(...words);
  return printed.replaceAll(UUID, '<id>');
}
