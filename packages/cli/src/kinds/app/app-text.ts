/** Applications, and the way to them, in words. */
import type { App, AppDetails } from '@gatehouse/contract/kinds/app/apps';
import { printable } from '@gatehouse/contract/std/printable';
import { table } from '../../output/table.ts';

export function tellApps(apps: readonly App[]): string {
  if (apps.length === 0) return 'no applications\n';
  const rows = apps.map((app) => [app.name, app.uri, originOf(app), labelsOf(app), notesOf(app)]);
  return table([['NAME', 'ADDRESS', 'OPENS AT', 'LABELS', 'NOTES'], ...rows]);
}

export function tellApp({ app, ...more }: AppDetails): string {
  const facts: [string, string | undefined][] = [
    ['name', app.name],
    ['description', app.description],
    ['address', app.uri],
    ['opens at', originOf(app)],
    ['labels', labelsOf(app)],
    ['comes from', app.gatehouse?.source === 'agent' ? 'its agents' : 'entered by hand'],
    ['reached by', more.through.join(', ') || waysOf(app)],
    ['certificate', certificateOf(more)],
    ['aws roles', app.awsRoles?.map(({ arn }) => arn).join(', ')],
    ...more.rewrite.headers.map(({ name, value, kept }): [string, string] => [
      'header',
      `${name}: ${kept ? '(stored, not shown)' : value}`,
    ]),
  ];
  return table(facts.filter(([, value]) => value).map(([name, value]) => [name, value ?? '']));
}

export function tellAddedApp(app: App): string {
  return `application '${printable(app.name)}' added\n${wayTo(app)}\n`;
}

function wayTo(app: App): string {
  if (app.gatehouse?.type === 'tcp') return `Reach it with: gatehouse proxy app ${printable(app.name)}`;
  if (app.gatehouse?.type === 'aws') return 'It is launched from the list of applications, with a role of AWS';
  return `It opens at ${printable(originOf(app))}`;
}

function waysOf({ gatehouse }: App): string {
  if (!gatehouse || gatehouse.ways === 0) return 'the gateway';
  const agents = gatehouse.ways === 1 ? '1 agent' : `${gatehouse.ways} agents`;
  return `${agents}, ${gatehouse.connected} connected`;
}

function originOf({ gatehouse, publicAddr }: App): string {
  if (gatehouse?.type === 'tcp') return 'gatehouse proxy';
  if (gatehouse?.type === 'aws') return 'the console';
  return gatehouse?.origin || publicAddr;
}

function labelsOf({ labels }: App): string {
  return labels.map(({ name, value }) => `${name}=${value}`).join(',') || '-';
}

function notesOf({ gatehouse }: App): string {
  const notes = [
    gatehouse?.insecure ? 'insecure TLS' : '',
    gatehouse && gatehouse.ways > 0 && gatehouse.connected === 0 ? 'agent away' : '',
  ];
  return notes.filter(Boolean).join(', ') || '-';
}

function certificateOf({ uri, insecureSkipVerify, ca }: Omit<AppDetails, 'app'>): string | undefined {
  if (!uri.startsWith('https:')) return undefined;
  if (insecureSkipVerify) return 'NOT checked';
  return ca ? 'checked by its own authority' : 'checked';
}
