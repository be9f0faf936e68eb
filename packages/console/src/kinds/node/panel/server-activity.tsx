/** Sessions under way on a server and the last recordings of it, as far as the user may know of them. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { nodeKind } from '@gatehouse/contract/kinds/node/node-kind';
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { type Recording, recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { type ActiveSession, sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useShellActions } from '../../../platform/browser/shell-actions.tsx';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PathLink } from '../../../platform/routing/routing.tsx';
import { useUser } from '../../../platform/sign-in/user.ts';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { isoOf } from '../../../shared/time-range/range-search-params.ts';
import styles from './server-panel.module.css';

const SHOWN = 3;
const LOOKED_BACK_MS = 90 * 86_400_000;

export function ServerActivity({ node }: { node: Node }) {
  const { userAcl } = useUser();
  return (
    <>
      <LiveSessions node={node} />
      {userAcl.recordedSessions.list && <LastRecordings node={node} />}
    </>
  );
}

/** Everybody may know of their own. */
function LiveSessions({ node }: { node: Node }) {
  const t = useTranslate();
  const api = useApi();
  const { now } = useBrowser();
  const { userName } = useUser();
  const { siteId: clusterId, id } = node;
  const { data, error } = useQuery({
    queryKey: ['sessions', clusterId, 'of', id],
    queryFn: async ({ signal }) => (await api(sessionRoutes.list, { params: { clusterId } }, signal)).sessions,
    select: (sessions) => sessions.filter(({ server_id }) => server_id === id),
  });
  return (
    <Part title={t('server-panel.live')} error={error} isEmpty={data?.length === 0} none={t('server-panel.live-none')}>
      {data?.map((session) => (
        <li key={session.id}>
          <Joined session={session} clusterId={clusterId} isOwn={session.owner === userName}>
            {t('server-panel.live-one', { user: session.owner, login: session.login })}
          </Joined>
          <span className={styles.when}>
            {t('server-panel.live-since', { when: formatRelative(Date.parse(session.created), now()) })}
          </span>
        </li>
      ))}
    </Part>
  );
}

interface JoinedProps {
  session: ActiveSession;
  clusterId: string;
  isOwn: boolean;
  children: ReactNode;
}

/** A link for those who may join it. */
function Joined({ session, clusterId, isOwn, children }: JoinedProps) {
  const { kind, id, participantModes } = session;
  const mode = participantModes.includes('observer') && !isOwn ? 'observer' : participantModes[0];
  if (kind !== nodeKind.sessionKind || mode === undefined) return <span>{children}</span>;
  const path = pagePath('consoleSession', { clusterId, sid: id });
  return <PathLink path={isOwn ? path : `${path}?mode=${mode}`}>{children}</PathLink>;
}

function LastRecordings({ node }: { node: Node }) {
  const t = useTranslate();
  const api = useApi();
  const { now } = useBrowser();
  const { mayOpen } = useShellActions();
  const { siteId: clusterId, id } = node;
  const { data, error } = useQuery({
    queryKey: ['recordings', 'of', clusterId, id],
    queryFn: async ({ signal }) => {
      const range = { from: isoOf(now() - LOOKED_BACK_MS), to: isoOf(now()) };
      const query = { ...range, resource: id, limit: String(SHOWN) };
      return (await api(recordingRoutes.list, { params: { clusterId }, query }, signal)).recordings;
    },
  });
  const all = `${pagePath('recordings', { clusterId })}?range=90d&resource=${encodeURIComponent(id)}`;
  return (
    <Part
      title={t('server-panel.recordings')}
      error={error}
      isEmpty={data?.length === 0}
      none={t('server-panel.recordings-none')}
    >
      {data?.map((recording) => (
        <li key={recording.sid}>
          <Played recording={recording} clusterId={clusterId}>
            {t('server-panel.live-one', { user: recording.owner, login: recording.login })}
          </Played>
          <span className={styles.when}>{formatRelative(Date.parse(recording.started), now())}</span>
        </li>
      ))}
      {data && data.length === SHOWN && mayOpen('recordings') && (
        <li>
          <PathLink path={all}>{t('server-panel.recordings-all')}</PathLink>
        </li>
      )}
    </Part>
  );
}

interface PlayedProps {
  recording: Recording;
  clusterId: string;
  children: ReactNode;
}

function Played({ recording: { sid, kind, playable }, clusterId, children }: PlayedProps) {
  if (!playable) return <span>{children}</span>;
  return <PathLink path={`${pagePath('player', { clusterId, sid })}?recordingType=${kind}`}>{children}</PathLink>;
}

interface PartProps {
  title: string;
  error: Error | null;
  isEmpty: boolean;
  none: string;
  children: ReactNode;
}

/** What fails says so; the rest of the panel stays. */
function Part({ title, error, isEmpty, none, children }: PartProps) {
  const t = useTranslate();
  return (
    <section aria-label={title}>
      <h3 className={shared.heading}>{title}</h3>
      {error && <p className={shared.faint}>{t('server-panel.activity-failed', { why: failureWords(t, error) })}</p>}
      {isEmpty && <span className={shared.faint}>{none}</span>}
      <ul className={styles.activity}>{children}</ul>
    </section>
  );
}
