/** Install scripts under the shells that machines have: dash, bash, and busybox with its own tools alone. */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT, OTHERS, ROLE } from '../../../../testing/aws/identities.ts';
import { type StsIdentity, type StsServer, startStsServer } from '../../../../testing/aws/sts-server.ts';

const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  "'; touch pwned; '",
  '"; touch pwned; "',
  'a\ntouch pwned',
  '-rf',
  '../x',
  '*',
];
const APPLETS = mkdtempSync(join(tmpdir(), 'gatehouse-applets-'));
const SHELLS: Record<string, { command: string[]; path: string }> = {
  dash: { command: ['/bin/dash'], path: '/usr/sbin:/usr/bin:/sbin:/bin' },
  bash: { command: ['/bin/bash'], path: '/usr/sbin:/usr/bin:/sbin:/bin' },
  // Nothing but its own tools, and curl: its wget knows no authorities.
  busybox: { command: ['/usr/bin/busybox', 'sh'], path: APPLETS },
};

let gateway: GatewayProcess;
let sts: StsServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-shells-'));
  sts = await startStsServer([ROLE, ...OTHERS], Date.now);
  gateway = await startGateway({ GATEHOUSE_AWS_JOIN_ENDPOINT: sts.url });
  const applets = (await run(['/usr/bin/busybox', '--list'], {})).out.split('\n').filter(Boolean);
  for (const each of applets) symlinkSync('/usr/bin/busybox', join(APPLETS, each));
  symlinkSync('/usr/bin/curl', join(APPLETS, 'curl'));
});
afterAll(async () => {
  await gateway?.stop();
  await sts?.close();
  for (const each of [folder, APPLETS]) rmSync(each, { recursive: true, force: true });
});

function run(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...cleanEnvironment(), ...env }, cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, out: stdout + stderr }),
    );
  });
}

/** The script that the command of such a token fetches. */
async function scriptOf(...flags: string[]): Promise<{ file: string; token: string }> {
  const made = await gateway.command('tokens', 'add', ...flags, '--format', 'json');
  const { command, token } = JSON.parse(made.stdout) as { command: string; token: string };
  const address = /'(http[^']*)'/.exec(command)?.[1] ?? '';
  const file = join(folder, `${token}.sh`);
  writeFileSync(file, await (await fetch(address)).text());
  return { file, token };
}

const agents = async () =>
  JSON.parse((await gateway.command('agents', 'ls', '--format', 'json')).stdout) as { name: string; id: string }[];

/** Of every process: whoever is on the machine can read it. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'latin1')];
      } catch {
        return [];
      }
    });
}

const awsEnv = ({ accessKeyId, secretAccessKey, sessionToken }: StsIdentity) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
  AWS_REGION: 'eu-central-1',
  // Whatever goes wrong, the service of a real instance is never asked.
  AWS_EC2_METADATA_DISABLED: 'true',
});

describe.each(Object.entries(SHELLS))('%s', (name, { command, path }) => {
  const root = () => join(folder, `machine-${name}`);
  const sh = (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    run([...command, file, ...args], { PATH: path, ...env });

  test('tells how it is used, and what it would do, and does none of it', async () => {
    const { file, token } = await scriptOf('--labels', 'env=prod');
    mkdirSync(root());

    expect(await sh(file, ['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--dry-run') });
    const dry = await sh(file, ['--root', root(), '--name', 'web', '--labels', 'a=1', '--dry-run']);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.out).toMatch(/would download the agent for (x64|arm64) from http/);
    expect(dry.out).toContain('agent.yaml, for the name web and the labels a=1');
    expect(dry.out).not.toContain(token);
    expect(await sh(file, ['--root', root(), '--uninstall', '--dry-run'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing of ours is installed below'),
    });
    expect(readdirSync(root())).toEqual([]);
    expect(await sh(file, ['--what'])).toMatchObject({ code: 1, out: expect.stringContaining("what is '--what'?") });
  });

  test('takes no name that is none, and runs nothing of it', async () => {
    const { file } = await scriptOf();

    for (const hostile of HOSTILE) {
      const named = await sh(file, ['--root', root(), '--name', hostile, '--dry-run']);
      expect(named).toMatchObject({ code: 1, out: expect.stringContaining('cannot be its name') });
      const labelled = await sh(file, ['--root', root(), '--labels', `x=${hostile}`, '--dry-run']);
      expect([0, 1]).toContain(labelled.code);
      await sh(file, ['--root', `${root()}/${hostile}`, '--dry-run']);
    }
    expect(readdirSync(folder, { recursive: true })).not.toContainEqual(expect.stringMatching(/pwned$/));
    expect(readdirSync(root())).toEqual([]);
  });

  test('installs, twice, and takes everything away again; the token stands on no command line', async () => {
    const { file, token } = await scriptOf();
    const args = ['--root', root(), '--name', `sh-${name}`];

    const first = await sh(file, args);
    expect(first, first.out).toMatchObject({ code: 0, out: expect.stringContaining(`sh-${name} has joined`) });
    expect(commandLines().filter((line) => line.includes(token) && !line.includes('.sh'))).toEqual([]);
    expect(existsSync(join(root(), 'etc/gatehouse-agent/join.env'))).toBe(false);
    const again = await sh(file, args);
    expect(again, again.out).toMatchObject({ code: 0, out: expect.stringContaining('this version is here already') });
    expect((await sh(file, [...args, '--dry-run'])).out).toContain('would keep');
    expect((await sh(file, ['--root', root(), '--uninstall', '--dry-run'])).out).toMatch(
      /would end the agent \(process \d+\)/,
    );

    const uninstaller = join(root(), 'opt/gatehouse-agent/uninstall.sh');
    expect(readFileSync(uninstaller, 'utf8')).not.toContain(token);
    const gone = await sh(uninstaller, ['--root', root()]);
    expect(gone, gone.out).toMatchObject({ code: 0, out: expect.stringContaining('the agent is gone') });
    for (const left of ['opt/gatehouse-agent', 'etc/gatehouse-agent', 'var/lib/gatehouse-agent'])
      expect(existsSync(join(root(), left))).toBe(false);
    expect(commandLines().filter((line) => line.includes(root()))).toEqual([]);
  });

  test('a machine in AWS joins by ?method=iam, without a secret', async () => {
    const allow = `${ACCOUNT}=arn:aws:sts::${ACCOUNT}:assumed-role/web/i-*`;
    const { file, token } = await scriptOf('--join-method', 'iam', '--allow', allow, '--labels', `shell=${name}`);
    expect(token).toMatch(/^iam-[0-9a-f]{32}$/);
    const args = ['--root', root(), '--name', `aws-${name}`];

    const refused = await sh(file, args, awsEnv(OTHERS[0]!));
    expect(refused, refused.out).toMatchObject({
      code: 1,
      out: expect.stringContaining('the join token is not for arn:aws:iam::210987654321:user/web'),
    });
    const joined = await sh(file, args, awsEnv(ROLE));
    expect(joined, joined.out).toMatchObject({ code: 0, out: expect.stringContaining(`aws-${name} has joined`) });
    expect((await agents()).map((agent) => agent.name)).toContain(`aws-${name}`);
    expect(await sh(file, ['--root', root(), '--openssh'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('has no secret to show'),
    });
    expect(await sh(file, ['--root', root(), '--uninstall'])).toMatchObject({ code: 0 });
  });
});
