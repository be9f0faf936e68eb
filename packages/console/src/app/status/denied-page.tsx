/** The card of a page that the user's roles do not allow: which right is missing, and an id that an administrator can look up. */

import { ACL_GROUPS, type FeatureFlag, FLAG_NEEDS_LIST } from '@gatehouse/contract/access/acl';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { CodeBlock } from '@gatehouse/design/code-block';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../platform/browser/use-api.ts';
import { refusalOf } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { AccessDenied } from './access-denied.tsx';

/** What each page would ask for first. Asked here, it is refused and kept, so that the id leads an administrator to it. */
const FIRST_CALLS = { users: userRoutes.list, roles: roleRoutes.list } as const;

interface DeniedPageProps {
  screen: string;
  flag: FeatureFlag;
}

export function DeniedPage({ screen, flag }: DeniedPageProps) {
  const t = useTranslate();
  const id = useRefusalId(flag);
  const group = flag in FLAG_NEEDS_LIST ? FLAG_NEEDS_LIST[flag as keyof typeof FLAG_NEEDS_LIST] : undefined;
  return (
    <AccessDenied message={t('shell.denied', { screen })}>
      {group && (
        <>
          <p>{t('shell.denied-needs')}</p>
          <CodeBlock
            label={t('shell.denied-rule')}
            code={`rules:\n  - resources: [${ACL_GROUPS[group]}]\n    verbs: [list]`}
          />
        </>
      )}
      {id && <p>{t('shell.denied-id', { id })}</p>}
    </AccessDenied>
  );
}

function useRefusalId(flag: FeatureFlag): string | undefined {
  const api = useApi();
  const route = flag in FIRST_CALLS ? FIRST_CALLS[flag as keyof typeof FIRST_CALLS] : undefined;
  return useQuery({
    queryKey: ['denied', flag],
    queryFn: async ({ signal }) => {
      try {
        if (route) await api(route, {}, signal);
      } catch (error) {
        return refusalOf(error)?.requestId ?? '';
      }
      return '';
    },
    enabled: route !== undefined,
  }).data;
}
