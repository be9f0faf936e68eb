/** What is written at a database so that the gateway signs in by certificate: one source for the console, the command and the documentation. */
import type { DbProtocol } from './db-address.ts';
import { SERVER_FILES } from './db-trust.ts';

/** Those that certificates of servers are made for. */
export const SETUP_PROTOCOLS = ['postgres', 'mysql', 'mongodb', 'redis'] as const satisfies readonly DbProtocol[];
export type SetupProtocol = (typeof SETUP_PROTOCOLS)[number];

export interface SetupFacts {
  /** Of the gateway, as it stands in certificates. */
  cluster: string;
  /** Of the database, as roles name it. */
  user: string;
  /** Where connections come from, as the database sees it: the gateway, or the agent that dials. */
  from: string;
  /** Where the files lie at the server. */
  folder: string;
}

export interface SetupStep {
  /** A file, with what to do there; or a program to type it into. */
  where: string;
  lines: readonly string[];
}

export function dbSetup(protocol: SetupProtocol, facts: SetupFacts): readonly SetupStep[] {
  return SETUPS[protocol](facts);
}

/** As people read it. */
export function dbSetupText(protocol: SetupProtocol, facts: SetupFacts): string {
  return dbSetup(protocol, facts)
    .map(({ where, lines }) => `# ${where}\n${lines.map((line) => `${line}\n`).join('')}`)
    .join('\n');
}

/** Certificate and key in one file, which MongoDB wants. */
export const MONGO_FILE = 'server.pem';

const SETUPS: Readonly<Record<SetupProtocol, (facts: SetupFacts) => readonly SetupStep[]>> = {
  postgres: ({ user, from, folder }) => [
    {
      where: `postgresql.conf; where ssl_ca_file names a file already, add ${SERVER_FILES.authorities} to that one`,
      lines: [
        'ssl = on',
        `ssl_cert_file = ${quoted(`${folder}/${SERVER_FILES.certificate}`)}`,
        `ssl_key_file = ${quoted(`${folder}/${SERVER_FILES.key}`)}`,
        `ssl_ca_file = ${quoted(`${folder}/${SERVER_FILES.authorities}`)}`,
      ],
    },
    {
      where: 'pg_hba.conf, before all other lines; then reload the server',
      lines: [`hostssl all all ${from}/${from.includes(':') ? 128 : 32} cert`],
    },
    { where: 'psql, for each user', lines: [`CREATE USER "${user.replaceAll('"', '""')}";`] },
  ],
  mysql: ({ cluster, user, from, folder }) => [
    {
      where: `my.cnf; where ssl-ca names a file already, add ${SERVER_FILES.authorities} to that one; then restart the server`,
      lines: [
        '[mysqld]',
        `ssl-cert = ${folder}/${SERVER_FILES.certificate}`,
        `ssl-key = ${folder}/${SERVER_FILES.key}`,
        `ssl-ca = ${folder}/${SERVER_FILES.authorities}`,
      ],
    },
    {
      where: 'mysql or mariadb, for each user',
      lines: [`CREATE USER ${sql(user)}@${sql(from)} REQUIRE SUBJECT ${sql(`/O=${cluster}/CN=${user}`)};`],
    },
  ],
  mongodb: ({ cluster, user, folder }) => [
    {
      where: `mongod.conf; ${MONGO_FILE} is ${SERVER_FILES.certificate} and ${SERVER_FILES.key} in one; then restart the server`,
      lines: [
        'net:',
        '  tls:',
        '    mode: requireTLS',
        `    certificateKeyFile: ${folder}/${MONGO_FILE}`,
        `    CAFile: ${folder}/${SERVER_FILES.authorities}`,
      ],
    },
    {
      where: 'mongosh, for each user, with the roles it shall have',
      lines: [
        `db.getSiblingDB('$external').runCommand({ createUser: ${JSON.stringify(`CN=${user},O=${cluster}`)}, roles: [{ role: 'readWrite', db: 'test' }] })`,
      ],
    },
  ],
  redis: ({ user, folder }) => [
    {
      where: 'redis.conf; then restart the server',
      lines: [
        'port 0',
        'tls-port 6379',
        `tls-cert-file ${folder}/${SERVER_FILES.certificate}`,
        `tls-key-file ${folder}/${SERVER_FILES.key}`,
        `tls-ca-cert-file ${folder}/${SERVER_FILES.authorities}`,
        'tls-auth-clients yes',
      ],
    },
    {
      where: 'redis-cli, for each user; store the password at the gateway: gatehouse db set-password NAME USER',
      lines: [`ACL SETUSER ${user} on >PASSWORD ~* &* +@all`],
    },
  ],
};

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function sql(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
