/** An open session as the gateway tells of it, for tests. */
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';

type Party = ActiveSession['parties'][number];
type Given = Partial<Omit<ActiveSession, 'parties'>> & { parties?: Partial<Party>[] };

export const OPEN_SID = '0f8fad5b-d9cb-469f-a165-70867728950e';

export function openSession({ parties = [{}], ...given }: Given = {}): ActiveSession {
  return {
    kind: 'ssh',
    id: OPEN_SID,
    namespace: 'default',
    terminal_params: { w: 80, h: 24 },
    login: 'root',
    created: new Date(Date.now() - 65_000).toISOString(),
    last_active: new Date().toISOString(),
    server_id: 'id-web-01',
    server_hostname: 'web-01',
    server_hostport: 22,
    server_addr: '10.0.0.1:22',
    cluster_name: 'one',
    kubernetes_cluster_name: '',
    desktop_name: '',
    database_name: '',
    app_name: '',
    owner: 'ann',
    participantModes: ['observer'],
    state: 'live',
    needs: [],
    resource_kind: 'node',
    resource_name: 'web-01',
    recorded: true,
    with_mfa: false,
    mayEnd: false,
    ...given,
    parties: parties.map((party, index) => ({
      id: `party-${index}`,
      remote_addr: '192.0.2.7',
      user: 'ann',
      server_id: 'id-web-01',
      last_active: new Date().toISOString(),
      mode: 'peer',
      ...party,
    })),
  };
}
