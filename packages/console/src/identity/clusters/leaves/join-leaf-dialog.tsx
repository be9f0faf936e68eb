/** Lets a cluster join: makes a token, shows once the command to run there, and waits until the leaf has come. */
import {
  type JoinOffer,
  type RemoteCluster,
  trustedClusterRoutes,
} from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { CodeBlock } from '@gatehouse/design/code-block';
import { CopyField } from '@gatehouse/design/copy-field';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { TextButton } from '@gatehouse/design/text-link';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTime } from '../../../platform/browser/use-time.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { asSentence, formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useSwitchCluster } from '../../../shared/clusters/cluster-queries.ts';
import { useProof } from '../../../shared/credentials/use-proof.tsx';
import steps from '../../../shared/enrolment/joining.module.css';
import { useLeaves, useOwnAddress } from '../cluster-queries.ts';
import styles from './leaves.module.css';

const LENGTHS = ['900', '3600', '14400', '86400'] as const;
type Length = (typeof LENGTHS)[number];

/** While somebody waits for it. */
const WAIT_EVERY_MS = 2_000;
const LOOK_EVERY_MS = 10_000;

export function JoinLeafDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const attempt = useAttempt();
  const leaves = useLeaves().data;
  const [length, setLength] = useState<Length>('3600');
  const [offer, setOffer] = useState<JoinOffer & { before: ReadonlySet<string> }>();
  const { withProof, question } = useProof({ title: t('clusters.join'), confirmWord: t('clusters.make') });
  const make = () =>
    attempt.run(async () => {
      const body = { ttlSeconds: Number(length) };
      const made = await withProof(() => api(trustedClusterRoutes.createToken, { body }));
      setOffer({ ...made, before: new Set(leaves?.map(({ id }) => id)) });
    });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('clusters.join')}
      footer={<Button onClick={onClose}>{t(offer ? 'clusters.done' : 'clusters.cancel')}</Button>}
    >
      <ol className={steps.steps}>
        <li className={steps.step} data-done={offer && ''}>
          <h3 className={steps.heading}>{t('clusters.step-token')}</h3>
          {offer ? (
            <p className={steps.lead}>{t('clusters.token-once')}</p>
          ) : (
            <div className={steps.stack}>
              <p className={steps.lead}>{t('clusters.join-lead')}</p>
              <div className={styles.make}>
                <Select
                  label={t('clusters.length')}
                  value={length}
                  onValueChange={setLength}
                  options={LENGTHS.map((value) => ({ value, label: t(`clusters.length-${value}`) }))}
                />
                <Button tone="primary" loading={attempt.isBusy} onClick={() => void make()}>
                  {t('clusters.make')}
                </Button>
              </div>
              {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
            </div>
          )}
        </li>
        <li className={steps.step} data-off={offer ? undefined : ''}>
          <h3 className={steps.heading}>{t('clusters.step-run')}</h3>
          {offer ? (
            <Offer offer={offer} onAgain={() => setOffer(undefined)} />
          ) : (
            <p className={steps.lead}>{t('clusters.run-later')}</p>
          )}
        </li>
        <li className={steps.step} data-off={offer ? undefined : ''}>
          <h3 className={steps.heading}>{t('clusters.step-wait')}</h3>
          {offer ? <Coming before={offer.before} /> : <p className={steps.lead}>{t('clusters.wait-later')}</p>}
        </li>
      </ol>
      {question}
    </Dialog>
  );
}

function Offer({ offer, onAgain }: { offer: JoinOffer; onAgain: () => void }) {
  const t = useTranslate();
  const time = useTime(LOOK_EVERY_MS);
  const address = useOwnAddress();
  const place = useRef<HTMLDivElement>(null);
  // The button that made it is gone; the next thing anybody does is to copy.
  useEffect(() => place.current?.querySelector('button')?.focus(), []);
  const end = Date.parse(offer.expires);
  const again = <TextButton onClick={onAgain}>{t('clusters.again')}</TextButton>;
  if (time > end) {
    return (
      <Notice tone="warn" title={t('clusters.expired')}>
        {again}
      </Notice>
    );
  }
  return (
    <div ref={place} className={steps.stack}>
      {offer.warning && <Notice tone="warn">{asSentence(offer.warning)}</Notice>}
      <CodeBlock wrap label={t('clusters.command')} code={offer.command} />
      <p className={steps.lead} title={formatDateTime(offer.expires)}>
        {t('clusters.works', { when: formatRelative(end, time) })} {again}
      </p>
      <details className={steps.manual}>
        <summary>{t('clusters.by-screen')}</summary>
        <div className={steps.stack}>
          <p className={steps.lead}>{t('clusters.by-screen-text')}</p>
          <CopyField label={t('clusters.root-address')} value={address} />
          <CopyField label={t('clusters.token')} value={offer.token} />
          <CopyField label={t('clusters.root-key')} value={offer.rootKey} />
          {offer.caPin && <CopyField label={t('clusters.root-pin')} value={offer.caPin} />}
        </div>
      </details>
    </div>
  );
}

/** `before`: ids of those that were there when the token was made. */
function Coming({ before }: { before: ReadonlySet<string> }) {
  const t = useTranslate();
  const queries = useQueryClient();
  const switchTo = useSwitchCluster();
  const came = (useLeaves().data ?? []).filter(({ id }) => !before.has(id));
  const isWaiting = !came.some(isOnline);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void queries.invalidateQueries({ queryKey: ['access', 'leaves'] }), WAIT_EVERY_MS);
    return () => clearInterval(timer);
  }, [queries, isWaiting]);
  return (
    <div role="status" className={steps.stack}>
      {came.map((leaf) => (
        <div key={leaf.id} className={steps.joined}>
          <span>{t(isOnline(leaf) ? 'clusters.came' : 'clusters.came-away', { cluster: leaf.name })}</span>
          {isOnline(leaf) && (
            <Button size="small" onClick={() => switchTo(leaf.name)}>
              {t('clusters.switch')}
            </Button>
          )}
        </div>
      ))}
      {came.length === 0 && (
        <p className={styles.waiting}>
          <SpinnerRing size="small" /> {t('clusters.waiting')}
        </p>
      )}
    </div>
  );
}

function isOnline({ status }: RemoteCluster): boolean {
  return status === 'online';
}
