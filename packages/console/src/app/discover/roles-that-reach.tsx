/** The roles by which people reach it now, and what would change if one of those that would do were given to oneself. */
import { explainRoutes } from '@gatehouse/contract/access/explain/explain';
import { pagePath } from '@gatehouse/contract/console/pages';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Select } from '@gatehouse/design/select';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { EffectsPanel } from '../../shared/access-questions/effects-panel.tsx';
import { useWhatIf } from '../../shared/access-questions/use-what-if.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import styles from './flow-screen.module.css';

interface RolesThatReachProps {
  /** Each of which would let oneself in; none where one is in already. */
  would: readonly string[];
}

export function RolesThatReach({ would }: RolesThatReachProps) {
  const t = useTranslate();
  const api = useApi();
  const { clusterId, kind, thing } = useFlow();
  const { userAcl } = useOwnUser();
  const resource = thing?.id ?? '';
  const who = useQuery({
    queryKey: ['access', 'who', clusterId, kind, resource],
    queryFn: ({ signal }) => api(explainRoutes.who, { params: { clusterId }, body: { kind, resource } }, signal),
    enabled: userAcl.users.list && resource !== '',
    retry: false,
  }).data;
  return (
    <>
      {who && (
        <section className={styles.names}>
          <h3>{t('discover.reached-by')}</h3>
          {who.items.length === 0 && <p>{t('discover.reached-by-none')}</p>}
          <ul>
            {countRoles(who.items).map(([role, count]) => (
              <li key={role}>
                <code>{role}</code> {t('discover.reached-people', { count })}
              </li>
            ))}
          </ul>
        </section>
      )}
      {would.length > 0 && userAcl.roles.read && <GiveRole roles={would} />}
    </>
  );
}

function countRoles(items: readonly { by: readonly string[] }[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const role of items.flatMap(({ by }) => by)) counts.set(role, (counts.get(role) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}

/** Only what it would do: it is given where roles of people are changed. */
function GiveRole({ roles }: { roles: readonly string[] }) {
  const t = useTranslate();
  const { userName } = useOwnUser();
  const [role, setRole] = useState(roles[0] ?? '');
  const whatIf = useWhatIf({ type: 'change-users', names: [userName], add: [role] }, role !== '');
  return (
    <section className={styles.more} aria-label={t('discover.give-access')}>
      <h3>{t('discover.give-access')}</h3>
      <Select
        label={t('discover.role-that-would')}
        value={role}
        options={roles.map((value) => ({ value, label: value }))}
        onValueChange={setRole}
      />
      <EffectsPanel whatIf={whatIf} isChanged isAboutOne />
      <div>
        <ButtonLink href={`${pagePath('users')}?open=${encodeURIComponent(userName)}`}>
          {t('discover.open-user')}
        </ButtonLink>
      </div>
    </section>
  );
}
