/** The session of somebody at a workbench, as those see it who watch or moderate it: its statements, as they are asked. */
import { PARTICIPANT_MODES } from '@gatehouse/contract/sessions/terminal-frames';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Icon } from '@gatehouse/design/icon';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import Database from 'lucide-react/icons/database';
import Eye from 'lucide-react/icons/eye';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { Suspense, useEffect, useRef, useState } from 'react';
import { isListed } from '../../evidence/recordings/player/statements/run-statements.ts';
import { alone } from '../../evidence/recordings/player/statements/statement-lines.ts';
import { StatementPanel } from '../../evidence/recordings/player/statements/statement-panel.tsx';
import { StatementTable } from '../../evidence/recordings/player/statements/statement-table.tsx';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { asSentence, withStop } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PageLink, type SearchTexts, usePageParams, useSearch } from '../../platform/routing/routing.tsx';
import { readToken } from '../../platform/sign-in/token.ts';
import { FactorQuestion } from '../../shared/credentials/factor-question.tsx';
import { EndDialog } from '../../shared/end-session/end-dialog.tsx';
import { NO_FACTOR } from '../../shared/line/numbered-line.ts';
import styles from './watch.module.css';
import { NOTHING_YET, type WatchLine, type WatchView, watchSession } from './watch-line.ts';

/** Whoever watches sees each of them come. */
const noFlags = () => [];

const modeIn = ({ mode }: SearchTexts) => PARTICIPANT_MODES.find((known) => known === mode) ?? 'observer';

export function WatchScreen() {
  const t = useTranslate();
  const { openSocket, storage } = useBrowser();
  const { clusterId, name, sid } = usePageParams('watchDb');
  const [mode] = useSearch(modeIn);
  const [view, setView] = useState(NOTHING_YET);
  const [chosen, setChosen] = useState<number>();
  const [isEnding, setEnding] = useState(false);
  const line = useRef<WatchLine>(undefined);
  useEffect(() => {
    setView(NOTHING_YET);
    const token = () => readToken(storage)?.accessToken;
    const watching = watchSession({ openSocket, token, clusterId, name, opening: { sid, mode }, onView: setView });
    line.current = watching;
    return () => watching.stop();
  }, [openSocket, storage, clusterId, name, sid, mode]);
  const { watched, over } = view;
  const shown = view.runs.filter(isListed);
  const current = shown.find(({ asked }) => asked.n === chosen);
  const step = (by: 1 | -1) => {
    const next = current && shown[shown.indexOf(current) + by];
    if (next) setChosen(next.asked.n);
  };
  const isModerator = watched?.mode === 'moderator';
  return (
    <div className={styles.screen}>
      <header className={styles.head} data-mode={watched?.mode}>
        <Icon of={isModerator ? ShieldCheck : Eye} size={16} />
        <h1>
          {watched
            ? t(isModerator ? 'sessions.watch-moderator' : 'sessions.watch-observer', { owner: watched.user, name })
            : view.line === 'connecting' && !over
              ? t('sessions.watch-connecting')
              : name}
        </h1>
        {watched && <code>{t('sessions.watch-as', { user: `${watched.dbUser}@${watched.dbName}` })}</code>}
        <span className={styles.grow} />
        {over && watched?.recorded && (
          <PageLink page="player" params={{ clusterId, sid }}>
            {t('sessions.watch-recording')}
          </PageLink>
        )}
        {isModerator && !over && (
          <Button size="small" tone="danger" onClick={() => setEnding(true)}>
            {t('sessions.end')}
          </Button>
        )}
      </header>
      <State view={view} />
      {/* Before anybody is let in there is nothing to list: what says why not would push it down. */}
      {watched && (
        <div className={styles.middle}>
          <StatementTable
            list={sid}
            lines={shown.map(alone)}
            words=""
            current={current && alone(current).key}
            isLoading={false}
            flagsOf={noFlags}
            onOpen={({ run }) => setChosen(run.asked.n)}
            empty={
              <EmptyState icon={Database} title={t('sessions.watch-none')}>
                {t('sessions.watch-none-text')}
              </EmptyState>
            }
          />
          {current && <StatementPanel run={current} onStep={step} onClose={() => setChosen(undefined)} />}
        </div>
      )}
      {view.challenge && (
        <Suspense>
          <FactorQuestion
            name={name}
            challenge={view.challenge}
            onAnswer={(answer) => line.current?.answerFactor(answer)}
            onClose={() => line.current?.refuse()}
          />
        </Suspense>
      )}
      {isEnding && watched && !over && (
        <EndDialog
          what={name}
          owner={watched.user}
          onEnd={async (reason) => line.current?.end(reason)}
          onClose={() => setEnding(false)}
        />
      )}
    </div>
  );
}

function State({ view: { line, over, flow } }: { view: WatchView }) {
  const t = useTranslate();
  if (over)
    return (
      <Notice
        tone={over.type === 'ended' ? 'info' : 'bad'}
        className={styles.state}
        title={t(over.type === 'ended' ? 'sessions.watch-ended' : 'sessions.watch-refused')}
      >
        {/* It begins with the name of a user, who is not written otherwise here. */}
        {over.message === NO_FACTOR
          ? t('sessions.watch-no-factor')
          : over.type === 'ended' && over.cause === 'ended_by'
            ? withStop(over.message)
            : asSentence(over.message)}
      </Notice>
    );
  if (line === 'connecting') return <Spinner />;
  if (line === 'lost')
    return (
      <Notice tone="warn" className={styles.state}>
        {t('sessions.watch-lost')}
      </Notice>
    );
  if (!flow) return null;
  return (
    <Notice tone="warn" className={styles.state}>
      {t(flow.flow === 'waiting' ? 'sessions.watch-waiting' : 'sessions.watch-frozen')}
    </Notice>
  );
}
