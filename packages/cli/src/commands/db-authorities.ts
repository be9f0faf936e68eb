/** The authorities of databases, as `gatehouse ca --type` shows and changes them. */
import type { DbAuthority, DbPurpose } from '@gatehouse/contract/identity/db-authorities';
import { type CommandDeps, print } from '../command.ts';
import { anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { table } from '../output/table.ts';

type Io = CommandDeps['io'];

const ADVICE: Readonly<Record<DbPurpose, string>> = {
  db: 'sign certificates of servers again before the old one leaves: gatehouse db sign\n',
  db_client:
    'give the new one to every database before it signs, as the file that ssl_ca_file or ssl-ca names: gatehouse ca export --type db_client\n',
  db_door: 'people sign in to databases again when the old one has left: gatehouse db login\n',
};

export async function listDbAuthorities(io: Io, options: GatewayOptions, purpose: DbPurpose): Promise<void> {
  const { call, dbAuthorityRoutes, send } = await connect(io, options);
  const found = of(await call(send, dbAuthorityRoutes.list, {}), purpose);
  print(io, options.format, found, tell(found));
}

export async function exportDbAuthorities(io: Io, options: GatewayOptions, purpose: DbPurpose): Promise<void> {
  const { call, dbAuthorityRoutes, send } = await connect(io, options);
  const certificates = of(await call(send, dbAuthorityRoutes.list, {}), purpose).map(({ certificate }) => certificate);
  print(io, options.format, certificates, certificates.join(''));
}

export async function rotateDbAuthority(
  io: Io,
  options: GatewayOptions,
  purpose: DbPurpose,
  { overlap, announce }: { overlap: number | undefined; announce: number | undefined },
): Promise<void> {
  const { call, dbAuthorityRoutes, send } = await connect(io, options);
  const body = {
    purpose,
    ...(overlap === undefined ? {} : { overlapSeconds: overlap }),
    ...(announce === undefined ? {} : { announceSeconds: announce }),
  };
  const found = of(await call(send, dbAuthorityRoutes.rotate, { body }), purpose);
  print(io, options.format, found, `${tell(found)}${ADVICE[purpose]}`);
}

function of(all: readonly DbAuthority[], wanted: DbPurpose): DbAuthority[] {
  return all.filter(({ purpose }) => purpose === wanted);
}

function tell(authorities: readonly DbAuthority[]): string {
  const rows = authorities.map(({ fingerprint, state, created, until }) => [fingerprint, state, created, until ?? '-']);
  return table([['FINGERPRINT', 'STATE', 'CREATED', 'UNTIL'], ...rows]);
}

async function connect(io: Io, options: GatewayOptions) {
  const [{ call }, { dbAuthorityRoutes }, send] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/db-authorities'),
    anyGateway(io, options),
  ]);
  return { call, dbAuthorityRoutes, send };
}
