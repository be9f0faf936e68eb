/** Active Sessions: who is connected to what right now, live, with what is on their screens, the ways to join and to end. */
import { type ActiveSession, sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { Button, buttonClass } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import { useToast } from '@gatehouse/design/toast';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import SearchX from 'lucide-react/icons/search-x';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTime } from '../../platform/browser/use-time.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PageLink, type SearchTexts, usePageParams, useSearch } from '../../platform/routing/routing.tsx';
import { useFlags, useUser } from '../../platform/sign-in/user.ts';
import { EndDialog } from '../../shared/end-session/end-dialog.tsx';
import { ListFrame } from '../../shared/resource-list/list-frame.tsx';
import { SearchField } from '../../shared/resource-list/search-field.tsx';
import { SessionCard } from './session-card.tsx';
import { fits, whatOf } from './session-facts.ts';
import styles from './sessions.module.css';
import { useLiveSessions } from './use-live-sessions.ts';

const parseSearch = ({ search = '' }: SearchTexts) => search.slice(0, 200);

export function SessionsScreen() {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const { userName } = useUser();
  const { clusterId } = usePageParams('sessions');
  const [search, setSearch] = useSearch(parseSearch);
  const { sessions, error, looks, isLive, see } = useLiveSessions(clusterId);
  const now = useTime(1_000);
  const [ending, setEnding] = useState<ActiveSession>();
  // What failed is the whole screen: the shell shows it and offers another try.
  if (error && !sessions) throw error;

  const found = sessions?.filter((session) => fits(session, search)) ?? [];
  const end = async (session: ActiveSession, reason: string) => {
    const query = reason ? { reason } : {};
    await api(sessionRoutes.end, { params: { clusterId, sid: session.id }, query });
    toast.show({ tone: 'ok', title: t('sessions.ended', { owner: session.owner }) });
  };
  return (
    <ListFrame
      title={t('pages.sessions')}
      meta={sessions && countWords(t, sessions.length, search === '' ? undefined : found.length)}
      tools={
        sessions &&
        (sessions.length > 0 || search !== '') && (
          <SearchField
            label={t('sessions.search')}
            value={search}
            onSearch={(text) => void setSearch({ search: text })}
          />
        )
      }
    >
      {!isLive && (
        <div className={styles.lost}>
          <Notice tone="warn">{t('sessions.lost')}</Notice>
        </div>
      )}
      <div className={styles.place}>
        {sessions?.length === 0 && <NoSessions clusterId={clusterId} />}
        {sessions && sessions.length > 0 && found.length === 0 && (
          <EmptyState
            icon={SearchX}
            title={t('sessions.no-match')}
            actions={<Button onClick={() => void setSearch({ search: undefined })}>{t('sessions.clear')}</Button>}
          >
            {t('sessions.no-match-text', { count: sessions.length })}
          </EmptyState>
        )}
        {found.length > 0 && (
          <ul className={styles.cards} aria-label={t('pages.sessions')}>
            {found.map((session) => (
              <SessionCard
                key={session.id}
                clusterId={clusterId}
                session={session}
                isOwn={session.owner === userName}
                look={looks.get(session.id)}
                now={now}
                onSee={see}
                onEnd={setEnding}
              />
            ))}
          </ul>
        )}
      </div>
      <span role="status">
        <VisuallyHidden>{sessions && t('sessions.count', { count: found.length })}</VisuallyHidden>
      </span>
      {ending && (
        <EndDialog
          what={whatOf(ending)}
          {...(ending.owner === userName ? {} : { owner: ending.owner })}
          onEnd={(reason) => end(ending, reason)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </ListFrame>
  );
}

function NoSessions({ clusterId }: { clusterId: string }) {
  const t = useTranslate();
  const { nodes } = useFlags();
  return (
    <EmptyState
      icon={SquareTerminal}
      title={t('sessions.empty')}
      actions={
        nodes && (
          <PageLink page="consoleNodes" params={{ clusterId }} className={buttonClass({ tone: 'primary' })}>
            {t('sessions.empty-open')}
          </PageLink>
        )
      }
    >
      {t('sessions.empty-text')}
    </EmptyState>
  );
}

function countWords(t: ReturnType<typeof useTranslate>, count: number, found: number | undefined): string {
  return found === undefined ? t('sessions.count', { count }) : t('sessions.count-found', { count, found });
}
