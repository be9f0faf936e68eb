/** One cluster beside the list: how it is doing and what that means, who it is, and what can be done with it. */
import type { RemoteCluster } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { CodeBlock } from '@gatehouse/design/code-block';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { Icon } from '@gatehouse/design/icon';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { Panel } from '@gatehouse/design/panel';
import Check from 'lucide-react/icons/check';
import Minus from 'lucide-react/icons/minus';
import { useState } from 'react';
import { actorWords } from '../../../platform/i18n/actor-words.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useOwnUser } from '../../../platform/sign-in/user.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { useOwnAddress, useOwnKey } from '../cluster-queries.ts';
import { ClusterState } from './cluster-cells.tsx';
import type { ClusterRow } from './cluster-rows.ts';
import styles from './clusters.module.css';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { useVisit } from './use-visit.ts';

interface ClusterPanelProps {
  row: ClusterRow;
  onSwitch: () => void;
  onLabels: () => void;
  onRemove: () => void;
  onClose: () => void;
}

export function ClusterPanel({ row, onSwitch, onLabels, onRemove, onClose }: ClusterPanelProps) {
  const t = useTranslate();
  const { edit, remove } = useOwnUser().userAcl.trustedClusters;
  const { isUnmapped } = useVisit(row, true);
  const [isRotating, setRotating] = useState(false);
  const { name, isOnline, isShown, leaf } = row;
  const values = { cluster: name };
  const shut = !isShown ? 'clusters.state-hidden-why' : isUnmapped ? 'clusters.state-unmapped-why' : undefined;
  return (
    <Panel label={t('clusters.panel', values)} title={name} onClose={onClose} className={shared.panel}>
      <div className={styles.section}>
        <ClusterState row={row} />
        <div className={styles.acts}>
          <Button
            disabled={!isOnline || shut !== undefined}
            disabledReason={t(isOnline ? 'clusters.cannot-look' : 'clusters.is-away')}
            onClick={onSwitch}
          >
            {t('clusters.switch')}
          </Button>
          {leaf && edit && <Button onClick={onLabels}>{t('clusters.labels')}</Button>}
          {!leaf && edit && <Button onClick={() => setRotating(true)}>{t('clusters.rotate')}</Button>}
          {leaf && remove && (
            <Button tone="danger" onClick={onRemove}>
              {t('clusters.remove')}
            </Button>
          )}
        </div>
        {shut && isOnline && <Notice announce="none">{t(shut, values)}</Notice>}
      </div>
      {isRotating && <RotateKeyDialog onClose={() => setRotating(false)} />}
      {leaf && !isOnline && <AwayLeaf row={row} leaf={leaf} />}
      <section className={styles.section}>
        <h3 className={styles.heading}>{t('clusters.identity')}</h3>
        {leaf ? <LeafFacts leaf={leaf} isOlder={row.isOlder} /> : <OwnFacts row={row} />}
      </section>
      {row.labels.length > 0 && (
        <section className={styles.section}>
          <h3 className={styles.heading}>{t('clusters.labels')}</h3>
          <div className={shared.labels}>
            {row.labels.map((label) => (
              <LabelChip key={label.name} {...label} />
            ))}
          </div>
        </section>
      )}
    </Panel>
  );
}

function AwayLeaf({ row, leaf }: { row: ClusterRow; leaf: RemoteCluster }) {
  const t = useTranslate();
  const address = useOwnAddress();
  const cameOnce = leaf.lastSeen !== undefined;
  return (
    <>
      {row.trouble && (
        <div className={styles.section}>
          <Notice tone="bad" announce="none">
            {asSentence(row.trouble)}
          </Notice>
        </div>
      )}
      <section className={styles.section}>
        <h3 className={styles.heading}>{t('clusters.means')}</h3>
        <ul className={styles.effects}>
          <li>
            <Icon of={Minus} size={14} />
            <span>{t('clusters.means-calls')}</span>
          </li>
          {cameOnce && (
            <li>
              <Icon of={Minus} size={14} />
              <span>{t('clusters.means-shells')}</span>
            </li>
          )}
          <li>
            <Icon of={Check} size={14} />
            <span>{t('clusters.means-locks')}</span>
          </li>
        </ul>
      </section>
      <section className={styles.section}>
        <h3 className={styles.heading}>{t('clusters.try')}</h3>
        <CodeBlock wrap label={t('clusters.try')} code={`curl -sS ${address}/v1/webapi/ping`} />
      </section>
    </>
  );
}

function LeafFacts({ leaf, isOlder }: { leaf: RemoteCluster; isOlder: boolean }) {
  const t = useTranslate();
  const by = { time: formatDateTime(leaf.created), by: actorWords(t, leaf.createdBy) };
  const facts: (Detail | false)[] = [
    { name: t('clusters.id'), value: <CopyValue value={leaf.id} name={t('clusters.id')} /> },
    { name: t('clusters.key'), value: <CopyValue value={leaf.key} name={t('clusters.key')} /> },
    { name: t('clusters.joined'), value: t('clusters.joined-by', by) },
    {
      name: t('clusters.version'),
      value: isOlder ? t('clusters.version-older', { version: leaf.version }) : leaf.version,
    },
    leaf.connectedSince !== undefined && {
      name: t('clusters.connected'),
      value: t('clusters.since', { time: formatDateTime(leaf.connectedSince) }),
    },
    leaf.connectedSince === undefined &&
      leaf.lastSeen !== undefined && { name: t('clusters.seen'), value: formatDateTime(leaf.lastSeen) },
  ];
  return <DetailsList details={facts.filter((fact) => fact !== false)} />;
}

function OwnFacts({ row }: { row: ClusterRow }) {
  const t = useTranslate();
  const address = useOwnAddress();
  const key = useOwnKey().data;
  const facts: (Detail | undefined)[] = [
    key && { name: t('clusters.id'), value: <CopyValue value={key.clusterId} name={t('clusters.id')} /> },
    key && { name: t('clusters.key'), value: <CopyValue value={key.fingerprint} name={t('clusters.key')} /> },
    key?.next && {
      name: t('clusters.next-key'),
      value: t('clusters.next-from', { key: key.next.fingerprint, time: formatDateTime(key.next.from) }),
    },
    { name: t('clusters.version'), value: row.version },
    { name: t('clusters.address'), value: address, mono: true },
  ];
  return <DetailsList details={facts.filter((fact) => fact !== undefined)} />;
}
