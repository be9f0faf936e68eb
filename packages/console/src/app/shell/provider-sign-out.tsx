/**
 * Offers to sign out at the provider too: whoever leaves a shared machine would be signed in again by one press. In this tab: in another one
 * the provider's question would be left behind unanswered.
 */

import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { MenuItem } from '@gatehouse/design/menu';
import { useQuery } from '@tanstack/react-query';
import LogOut from 'lucide-react/icons/log-out';
import { useShellActions } from '../../platform/browser/shell-actions.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';

/** Nothing where the provider has no such page, or does not answer. Loaded for people who came through one alone. */
export function ProviderSignOut() {
  const t = useTranslate();
  const api = useApi();
  const { signOutAt } = useShellActions();
  const { data } = useQuery({
    queryKey: ['provider-sign-out'],
    queryFn: ({ signal }) => api(identityRoutes.signOut, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const { url, display = '' } = data ?? {};
  if (!url?.startsWith('http')) return null;
  return (
    <MenuItem icon={LogOut} onSelect={() => signOutAt(url)}>
      {t('shell.sign-out-provider', { name: display })}
    </MenuItem>
  );
}
