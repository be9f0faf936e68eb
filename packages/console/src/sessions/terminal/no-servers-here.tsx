/** For those who reach no server of their own: they came to the session of somebody else, and can go to the next. */
import { buttonClass } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PageLink, usePageParams } from '../../platform/routing/routing.tsx';
import { useFlags } from '../../platform/sign-in/user.ts';

export function NoServersHere() {
  const t = useTranslate();
  const { clusterId } = usePageParams('consoleNodes');
  const { activeSessions } = useFlags();
  return (
    <EmptyState
      icon={SquareTerminal}
      title={t('terminal.no-servers')}
      actions={
        activeSessions && (
          <PageLink page="sessions" params={{ clusterId }} className={buttonClass({ tone: 'primary' })}>
            {t('terminal.no-servers-sessions')}
          </PageLink>
        )
      }
    >
      {t('terminal.no-servers-text')}
    </EmptyState>
  );
}
