/** What is worth knowing about an object, by its kind, before anybody reads its text. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { LabelChip } from '@gatehouse/design/label-chip';
import { useBrowser } from '../../../../platform/browser/browser-services.tsx';
import { formatRelative } from '../../../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../../../platform/i18n/words.ts';
import { PathLink } from '../../../../platform/routing/routing.tsx';
import type { UsedAddress } from '../address.ts';
import styles from '../browse.module.css';
import { kindNamed, kindSlug } from '../kinds.ts';
import type { KubeFacts } from '../read-object.ts';

interface FactsListProps {
  facts: KubeFacts;
  used: UsedAddress;
}

export function FactsList({ facts, used }: FactsListProps) {
  const t = useTranslate();
  const { now } = useBrowser();
  const { metadata } = facts;
  const owner = metadata.ownerReferences[0];
  const ownerKind = owner && kindNamed(owner.kind);
  const created = Date.parse(metadata.creationTimestamp);
  const details: (Detail | false)[] = [
    { name: t('kube-browse.kind'), value: facts.kind },
    metadata.namespace !== '' && { name: t('kube-browse.namespace'), value: metadata.namespace, mono: true },
    !Number.isNaN(created) && {
      name: t('kube-browse.created'),
      value: (
        <>
          {formatDateTime(metadata.creationTimestamp)}{' '}
          <span className={styles.faint}>{formatRelative(created, Math.max(now(), created))}</span>
        </>
      ),
    },
    ...ownFacts(t, facts),
    owner !== undefined && {
      name: t('kube-browse.part-of'),
      value: (
        <>
          {ownerKind ? (
            <PathLink
              className={styles.link}
              path={used.objectPath({ slug: kindSlug(ownerKind), namespace: metadata.namespace, name: owner.name })}
            >
              {owner.name}
            </PathLink>
          ) : (
            owner.name
          )}{' '}
          <span className={styles.faint}>{owner.kind}</span>
        </>
      ),
    },
  ];
  const labels = Object.entries(metadata.labels);
  return (
    <>
      <DetailsList details={details.filter((detail) => detail !== false)} />
      {labels.length > 0 && (
        <section className={styles.labels} aria-label={t('kubernetes.labels')}>
          {labels.map(([name, value]) => (
            <LabelChip key={name} name={name} value={value} />
          ))}
        </section>
      )}
    </>
  );
}

function ownFacts(t: Translate, { spec, status, data }: KubeFacts): Detail[] {
  const images = spec.template?.spec.containers ?? [];
  const details: (Detail | false)[] = [
    status.podIP !== '' && { name: t('kube-browse.address'), value: status.podIP, mono: true },
    spec.nodeName !== '' && { name: t('kube-browse.node'), value: spec.nodeName, mono: true },
    spec.serviceAccountName !== '' && { name: t('kube-browse.account'), value: spec.serviceAccountName, mono: true },
    spec.replicas !== undefined && {
      name: t('kube-browse.replicas'),
      value: t('kube-browse.ready-of', { ready: status.readyReplicas, wanted: spec.replicas }),
    },
    images.length > 0 && {
      name: t('kube-browse.images'),
      value: images.map(({ image }) => image).join(', '),
      mono: true,
    },
    spec.schedule !== '' && { name: t('kube-browse.schedule'), value: spec.schedule, mono: true },
    spec.clusterIP !== '' && { name: t('kube-browse.address'), value: spec.clusterIP, mono: true },
    spec.ports.length > 0 && {
      name: t('kube-browse.ports'),
      value: spec.ports.map(({ port, targetPort, protocol }) => `${port} → ${targetPort}/${protocol}`).join(', '),
      mono: true,
    },
    status.nodeInfo !== undefined && {
      name: t('kube-browse.version'),
      value: `${status.nodeInfo.kubeletVersion}, ${status.nodeInfo.osImage}`,
    },
    data !== undefined && { name: t('kube-browse.keys'), value: Object.keys(data).join(', '), mono: true },
  ];
  return details.filter((detail) => detail !== false);
}
