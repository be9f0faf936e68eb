/** Key, certificate and configuration by which a real ssh comes to the SSH door of a gateway. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { call, type Send } from '@gatehouse/contract/wire/client';

const execute = promisify(execFile);

export interface DoorFiles {
  dir: string;
  config: string;
  serial: string;
}

/** Hosts `NAME.localhost` lead there by a jump, `gate` is the door itself. */
export async function doorFiles(port: number, who: { send: Send }): Promise<DoorFiles> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-ssh-'));
  const id = join(dir, 'id');
  await execute('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', id]);
  const issued = await call(who.send, sshCertificateRoutes.issue, {
    body: { pub_key: readFileSync(`${id}.pub`, 'utf8') },
  });
  writeFileSync(`${id}-cert.pub`, `${issued.cert}\n`);
  const known = join(dir, 'known_hosts');
  writeFileSync(known, issued.host_authorities.map((line) => `@cert-authority * ${line}\n`).join(''));
  const config = join(dir, 'config');
  writeFileSync(
    config,
    [
      'Host *',
      `  IdentityFile ${id}`,
      `  CertificateFile ${id}-cert.pub`,
      '  IdentitiesOnly yes',
      '  IdentityAgent none',
      `  UserKnownHostsFile ${known}`,
      '  GlobalKnownHostsFile /dev/null',
      '  StrictHostKeyChecking yes',
      '  UpdateHostKeys no',
      '  BatchMode yes',
      '  LogLevel ERROR',
      '  Ciphers aes128-gcm@openssh.com',
      'Host gate',
      '  HostName 127.0.0.1',
      `  Port ${port}`,
      'Host *.localhost',
      '  ProxyJump gate',
      '',
    ].join('\n'),
  );
  return { dir, config, serial: issued.serial };
}
