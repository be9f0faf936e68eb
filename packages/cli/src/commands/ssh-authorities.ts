/** `gatehouse ca`: the keys that servers with plain OpenSSH trust. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { table } from '../output/table.ts';

export function addSshAuthorityCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'ca',
    summary: 'The keys that sign SSH certificates, for the servers that trust them.',
    examples: ['gatehouse ca export > gatehouse_user_ca.pub', 'gatehouse ca rotate --overlap 7d'],
  });
  const add = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  add({ name: 'ls', summary: 'List the keys in use.', examples: ['gatehouse ca ls'] }).action(
    async (options: GatewayOptions) => {
      const { call, sshAuthorityRoutes, send } = await connect(options);
      const authorities = await call(send, sshAuthorityRoutes.list, {});
      print(io, options.format, authorities, tell(authorities));
    },
  );

  add({
    name: 'export',
    summary: 'Print the lines for a TrustedUserCAKeys file. While a key is leaving there are two.',
    examples: ['gatehouse ca export | ssh root@web-1 "cat > /etc/ssh/gatehouse_user_ca.pub"'],
  }).action(async (options: GatewayOptions) => {
    const { call, sshAuthorityRoutes, send } = await connect(options);
    const lines = (await call(send, sshAuthorityRoutes.list, {})).map(({ publicKey }) => publicKey);
    print(io, options.format, lines, lines.map((line) => `${line}\n`).join(''));
  });

  add({
    name: 'rotate',
    summary:
      'Make a new key. Until the overlap is over connections offer certificates by both; then the old one is deleted.',
    examples: ['gatehouse ca rotate', 'gatehouse ca rotate --overlap 30d', 'gatehouse ca rotate --overlap 0'],
  })
    .addOption(
      new Option('--overlap <duration>', 'how long the old key stays in use; 0 when it may be in wrong hands')
        .argParser(parseOverlap)
        .default(7 * 86_400, '7d'),
    )
    .action(async ({ overlap, ...options }: GatewayOptions & { overlap: number }) => {
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
