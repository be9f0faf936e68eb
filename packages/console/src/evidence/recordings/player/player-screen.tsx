/** The session player: what was on the screen, as it was, to watch, search, link to and take away. */
import { Notice } from '@gatehouse/design/notice';
import { StatusCard } from '@gatehouse/design/status-card';
import { useQuery } from '@tanstack/react-query';
import FileQuestion from 'lucide-react/icons/file-question-mark';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { refusalOf } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { usePageParams } from '../../../platform/routing/routing.tsx';
import { mayPlay } from '../recording-facts.ts';
import { isList } from '../renderers.ts';
import { OpenPlayer } from './open-player.tsx';
import { PlayerHeader } from './player-header.tsx';
import { detailsQuery } from './player-queries.ts';
import styles from './player-screen.module.css';
import { type PlayerAddress, usePlayerAddress } from './player-search-params.ts';
import { useVerification } from './side/use-verification.ts';
import { StatementPlayer } from './statements/statement-player.tsx';
import { Unplayable } from './unplayable.tsx';

export function PlayerScreen() {
  const { clusterId, sid } = usePageParams('player');
  const [address, actions] = usePlayerAddress();
  // While another page is on its way this one may be drawn once more, by an address that is not its own any more.
  if (!sid) return null;
  if (address.problem) return <WrongLink problem={address.problem} />;
  // Another recording is another player, whatever the first one was in the middle of.
  return <OneRecording key={sid} clusterId={clusterId} sid={sid} address={address} actions={actions} />;
}

interface OneRecordingProps {
  clusterId: string;
  sid: string;
  address: PlayerAddress;
  actions: ReturnType<typeof usePlayerAddress>[1];
}

function OneRecording({ clusterId, sid, address, actions }: OneRecordingProps) {
  const api = useApi();
  const { data: details, error } = useQuery(detailsQuery(api, { clusterId, sid }));
  const verification = useVerification(clusterId, sid, details);
  const [wasWarned, setWarned] = useState(false);
  if (error && !details) {
    if (refusalOf(error)?.code === 'not_found') return <NotFound />;
    throw error;
  }
  const isDamaged = details?.state === 'corrupted';
  if (details && (!mayPlay(details) || (isDamaged && !wasWarned))) {
    return (
      <div className={styles.player}>
        <PlayerHeader
          clusterId={clusterId}
          sid={sid}
          details={details}
          playback={undefined}
          verification={verification}
          onPanel={undefined}
        />
        <Unplayable details={details} onLook={mayPlay(details) ? () => setWarned(true) : undefined} />
      </div>
    );
  }
  if (isList(details?.kind ?? address.type)) {
    if (!details) return <div className={styles.player} aria-busy="true" />;
    return (
      <StatementPlayer
        clusterId={clusterId}
        details={details}
        verification={verification}
        address={address}
        actions={actions}
      />
    );
  }
  return (
    <OpenPlayer
      clusterId={clusterId}
      sid={sid}
      details={details}
      verification={verification}
      address={address}
      actions={actions}
    />
  );
}

function NotFound() {
  const t = useTranslate();
  return (
    <div className={styles.alone}>
      <StatusCard icon={FileQuestion} title={t('player.not-found-title')}>
        <p>{t('player.not-found-text')}</p>
      </StatusCard>
    </div>
  );
}

function WrongLink({ problem }: { problem: NonNullable<PlayerAddress['problem']> }) {
  const t = useTranslate();
  return (
    <div className={styles.alone}>
      <h1>{t('player.other-title')}</h1>
      <Notice tone="bad">
        {problem === 'duration' ? t('player.duration-wrong') : t('player.type-wrong', { type: problem.type })}
      </Notice>
    </div>
  );
}
