/** How open sessions are told at the terminal. */
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import { printable } from '@gatehouse/contract/std/printable';
import { table } from './table.ts';

export function tellSessions(open: readonly ActiveSession[]): string {
  if (open.length === 0) return 'no open sessions\n';
  const head = ['ID', 'OWNER', 'ON', 'LOGIN', 'STATE', 'PEOPLE', 'RECORDED', 'SINCE'];
  const rows = open.map((session) => [
    session.id,
    printable(session.owner),
    printable(placeOf(session)),
    printable(session.login) || '-',
    session.state,
    String(session.parties.length),
    session.recorded ? 'yes' : 'no',
    session.created,
  ]);
  return table([head, ...rows]);
}

/** Of a Kubernetes cluster with the pod, as recordings are listed. */
export function placeOf({ resource_name, resource_inside }: ActiveSession): string {
  return resource_inside === undefined ? resource_name : `${resource_name}/${resource_inside}`;
}

export function tellSession(session: ActiveSession): string {
  const facts = [
    ['Id', session.id],
    ['Owner', session.owner],
    ['On', `${session.resource_kind} ${placeOf(session)}`],
    ['Login', session.login],
    ['State', session.state],
    ['Since', session.created],
    ['Last used', session.last_active],
    ['Recorded', session.recorded ? 'yes' : 'no'],
    ['Second factor', session.with_mfa ? 'proved' : 'not asked for'],
  ].filter(([, value]) => value !== '');
  const people = session.parties.map(({ user, mode, remote_addr }) => [printable(user), mode, printable(remote_addr)]);
  const list = people.length === 0 ? '' : `\n${table([['PERSON', 'AS', 'FROM'], ...people])}`;
  return `${table(facts.map(([name = '', value = '']) => [name, printable(value)]))}${list}`;
}
