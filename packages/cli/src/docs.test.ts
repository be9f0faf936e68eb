import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { call } from '@gatehouse/contract/wire/client';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { putResources } from '@gatehouse/gateway/inventory/resource-store';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { expect, test } from 'vitest';
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
  const documents = blocks.filter(({ language }) => language === 'yaml').map(({ text }) => text);
  expect(documents.length).toBeGreaterThan(8);
  const commands = await started();
  const { folder } = commands;
  try {
    for (const name of ['try', 'github']) writeFileSync(join(folder, `${name}.secret`), `secret of ${name}\n`);
    await follow(commands, blocks);
    for (const content of documents) {
      const checked = call(localSend(folder), connectorTestRoutes.check, { body: { kind: kindIn(content), content } });
      await expect(checked, content).resolves.toMatchObject({ enter: expect.anything() });
    }
  } finally {
    await commands.close();
  }
}, 60_000);

/** What appears on the terminal; ids that are new every time are written `<id>`. */
async function output(commands: CommandLine<unknown>, line: string): Promise<string> {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  expect(words.shift()).toBe('gatehouse');
  const { printed } = await commands.local(...words);
  return printed.replaceAll(UUID, '<id>');
}
