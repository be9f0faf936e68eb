/** `gatehouse ca`: the keys that servers with plain OpenSSH trust, and the authorities of databases. */
import { DB_PURPOSES, type DbPurpose } from '@gatehouse/contract/identity/db-authorities';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { table } from '../output/table.ts';
import { Failure } from '../runtime/failure.ts';
import { exportDbAuthorities, listDbAuthorities, rotateDbAuthority } from './db-authorities.ts';

const SSH_OVERLAP_SECONDS = 7 * 86_400;

export function addSshAuthorityCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'ca',
    summary: 'What signs certificates, for the servers and databases that trust it.',
    examples: [
      'gatehouse ca export > gatehouse_user_ca.pub',
      'gatehouse ca rotate --overlap 7d',
      'gatehouse ca export --type db_client > server.cas',
    ],
  });
  const add = (facts: Parameters<typeof addCommand>[1]) =>
    addGatewayFlags(addCommand(group, facts), configFlags).addOption(
      new Option(
        '--type <type>',
        'ssh: signs people at servers; db: servers of databases; db_client: the gateway at databases; db_door: people at native doors of databases',
      )
        .choices(['ssh', ...DB_PURPOSES])
        .default('ssh'),
    );

  add({
    name: 'ls',
    summary: 'List the keys in use.',
    examples: ['gatehouse ca ls', 'gatehouse ca ls --type db'],
  }).action(async ({ type, ...options }: TypeOptions) => {
    if (type !== 'ssh') return await listDbAuthorities(io, options, type);
    const { call, sshAuthorityRoutes, send } = await connect(options);
    const authorities = await call(send, sshAuthorityRoutes.list, {});
    print(io, options.format, authorities, tell(authorities));
  });

  add({
    name: 'export',
    summary:
      'Print the lines for a TrustedUserCAKeys file, or the certificates of databases. While a key is leaving there are two.',
    examples: [
      'gatehouse ca export | ssh root@web-1 "cat > /etc/ssh/gatehouse_user_ca.pub"',
      'gatehouse ca export --type db_client > server.cas',
    ],
  }).action(async ({ type, ...options }: TypeOptions) => {
    if (type !== 'ssh') return await exportDbAuthorities(io, options, type);
    const { call, sshAuthorityRoutes, send } = await connect(options);
    const lines = (await call(send, sshAuthorityRoutes.list, {})).map(({ publicKey }) => publicKey);
    print(io, options.format, lines, lines.map((line) => `${line}\n`).join(''));
  });

  add({
    name: 'rotate',
    summary:
      'Make a new key. Until the overlap is over connections offer certificates by both; then the old one is deleted.',
    examples: [
      'gatehouse ca rotate',
      'gatehouse ca rotate --overlap 30d',
      'gatehouse ca rotate --overlap 0',
      'gatehouse ca rotate --type db_client --announce 14d',
    ],
  })
    .addOption(
      new Option(
        '--overlap <duration>',
        'how long the old key stays in use, 7d unless told, for databases what their type needs; 0 when it may be in wrong hands',
      ).argParser(parseOverlap),
    )
    .addOption(
      new Option(
        '--announce <duration>',
        'of databases: how long the new one is announced before it signs; 30d for db_client unless told, 0 for others',
      ).argParser(parseOverlap),
    )
    .action(async ({ type, overlap: asked, announce, ...options }: TypeOptions & Waits) => {
      if (type !== 'ssh') return await rotateDbAuthority(io, options, type, { overlap: asked, announce });
      if (announce !== undefined)
        throw new Failure('usage', '--announce is for authorities of databases: keys for SSH sign beside each other');
      const overlap = asked ?? SSH_OVERLAP_SECONDS;
      const { call, sshAuthorityRoutes, send } = await connect(options);
      const authorities = await call(send, sshAuthorityRoutes.rotate, { body: { overlapSeconds: overlap } });
      const advice =
        overlap === 0
          ? 'servers refuse everybody until they trust the new key: gatehouse ca export\n'
          : 'put the new key on every server before the old one leaves: gatehouse ca export\n';
      print(io, options.format, authorities, `${tell(authorities)}${advice}`);
    });

  async function connect(options: GatewayOptions) {
    const [{ call }, { sshAuthorityRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/identity/ssh-authorities'),
      anyGateway(io, options),
    ]);
    return { call, sshAuthorityRoutes, send };
  }
}

interface TypeOptions extends GatewayOptions {
  type: 'ssh' | DbPurpose;
}

interface Waits {
  overlap?: number;
  announce?: number;
}

function tell(
  authorities: readonly { fingerprint: string; state: string; created: string; until?: string | undefined }[],
): string {
  const rows = authorities.map(({ fingerprint, state, created, until }) => [fingerprint, state, created, until ?? '-']);
  return table([['FINGERPRINT', 'STATE', 'CREATED', 'UNTIL'], ...rows]);
}

function parseOverlap(text: string): number {
  if (text === '0') return 0;
  try {
    return parseDurationSeconds(text);
  } catch {
    throw new InvalidArgumentError('write it like 12h or 7d, or 0 for none.');
  }
}
