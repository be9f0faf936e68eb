import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putResources } from '@gatehouse/gateway/inventory/resource-store';
import { startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../testing/command-line.ts';

const PAGE = new URL('../../../docs/access.md', import.meta.url);
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

test('every example of docs/access.md gives what the page says', async () => {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```(yaml|console)\n([\s\S]*?)^```$/gm)];
  expect(blocks.length).toBeGreaterThan(8);
  const commands = await startCommandLine(() => startIdentityGateway());
  const { folder, world: gateway } = commands;
  try {
    await gateway.addUser('admin', { roles: ['editor'] });
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
    for (const [, language, text = ''] of blocks) {
      if (language === 'yaml') {
        const name = /^# (\S+\.yaml)$/m.exec(text)?.[1] ?? 'unnamed.yaml';
        writeFileSync(join(folder, name), text);
        continue;
      }
      for (const example of text.split(/^\$ /m).slice(1)) {
        const [line = '', ...printed] = example.split('\n');
        expect({ line, printed: await output(commands, line) }).toEqual({ line, printed: printed.join('\n') });
      }
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
