/** Desktops for tests of the console. */
import type { Desktop, DesktopDetails } from '@gatehouse/contract/kinds/desktop/desktops';

type Facts = NonNullable<Desktop['gatehouse']>;

export function desktop(name: string, logins: readonly string[] = ['ann'], facts: Partial<Facts> = {}): Desktop {
  return {
    ...{ os: 'windows', name, addr: `${name}.inside:3389`, host_id: '', logins: [...logins] },
    labels: [{ name: 'env', value: name.startsWith('prod') ? 'prod' : 'dev' }],
    gatehouse: {
      ...{ source: 'entered', protocol: 'rdp', domain: '', certificate: 'pinned', askPassword: true },
      ...{ stored: [], lacks: [], through: false, connected: true },
      ...facts,
    },
  };
}

export function desktopDetails(item: Desktop, more: Partial<DesktopDetails> = {}): DesktopDetails {
  return {
    ...{ item, addr: item.addr, protocol: 'rdp', domain: '', askPassword: true, signIn: 'password', through: '' },
    labels: Object.fromEntries(item.labels.map(({ name, value }) => [name, value])),
    certificate: { pin: `sha256:${'ab'.repeat(32)}` },
    passwords: [],
    ...more,
  };
}

export const DESKTOPS: Desktop[] = [
  desktop('prod-fin', ['Administrator', 'CORP\\ann'], { stored: ['Administrator'] }),
  desktop('build-1', ['ann']),
  desktop('lab', [], { lacks: ['certificate'] }),
  desktop('any', ['*'], { source: 'agent', through: true, connected: false, lacks: ['agent'] }),
];
