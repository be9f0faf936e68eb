import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAgentConfig } from '../../config/agent-config.ts';
import { isAllowed } from '../../reach/tcp/allow-rules.ts';
import { allowRulesOf, offersOf } from '../kinds.ts';

const SELF = { agentId: 'a', name: 'edge-1', labels: {} };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-desktops-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(desktops: string) {
  const config = join(folder, 'agent.yaml');
  writeFileSync(config, `gateway: https://gate.example.com\nshell: false\ndesktops: ${desktops}\n`, { mode: 0o600 });
  return readAgentConfig({ config }, {}, folder);
}
const offered = (config: ReturnType<typeof read>) => offersOf(config, SELF).filter(({ kind }) => kind === 'desktop');

test.each(['[{name: win-1, addr: "10.0.0.7:3389"}]', '{static: [{name: win-1, addr: "10.0.0.7:3389"}]}'])(
  'desktops stand in the file as a list or under static: %s',
  (written) => {
    const config = read(written);
    expect(offered(config)).toEqual([
      {
        ...{ kind: 'desktop', id: 'win-1', name: 'win-1', labels: {} },
        spec: { addr: '10.0.0.7:3389', protocol: 'rdp', domain: '', askPassword: true, signIn: 'password' },
      },
    ]);
    const dial = (address: string, port: number) => isAllowed(allowRulesOf(config), { host: address, address, port });
    expect([dial('10.0.0.7', 3389), dial('10.0.0.7', 22), dial('10.0.0.8', 3389)]).toEqual([true, false, false]);
  },
);

test.each([
  ['[{name: Win 1, addr: "10.0.0.7:3389"}]', 'must be lower-case letters'],
  ['[{name: win-1, addr: "10.0.0.7"}]', 'must be HOST:PORT'],
  ['[{name: a, addr: "h:1"}, {name: a, addr: "h:2"}]', 'names a desktop twice'],
  ['[{name: a, addr: "h:1", signIn: certificate}]', 'signing in to desktops by certificate is not there yet'],
  ['{static: [], other: 1}', 'is not a key'],
])('what is wrong in the file is named: %s', (written, words) => {
  expect(() => read(written)).toThrow(words);
});
