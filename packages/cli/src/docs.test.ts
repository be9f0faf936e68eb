import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localDoor } from '@gatehouse/gateway/http/local-door';
import { putResources } from '@gatehouse/gateway/inventory/resource-store';
import { serveLocalSocket } from '@gatehouse/gateway/local-socket/serve-local-socket';
import { startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { expect, test } from 'vitest';
import { runProgram } from './program.ts';

const PAGE = new URL('../../../docs/access.md', import.meta.url);
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

test('every example of docs/access.md gives what the page says', async () => {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```(yaml|console)\n([\s\S]*?)^```$/gm)];
  expect(blocks.length).toBeGreaterThan(8);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
  const gateway = await startIdentityGateway();
  const socket = await serveLocalSocket({ dataDir: folder, handler: localDoor(gateway.app) });
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
        expect({ line, printed: await output(folder, line) }).toEqual({ line, printed: printed.join('\n') });
      }
    }
  } finally {
    await socket.close();
    await gateway.close();
    rmSync(folder, { recursive: true });
  }
}, 60_000);

/** What appears on the terminal; ids that are new every time are written `<id>`. */
async function output(folder: string, line: string): Promise<string> {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  expect(words.shift()).toBe('gatehouse');
  let printed = '';
  const write = (text: string) => {
    printed += text;
  };
  const env = { HOME: folder };
  await runProgram([...words, '--data-dir', folder], { stdout: write, stderr: write, env, cwd: folder });
  return printed.replaceAll(UUID, '<id>');
}
