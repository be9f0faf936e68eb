/** What is in an event, from the line a person reads down to its JSON. */

import { rawJson } from '@gatehouse/contract/audit/raw-json';
import type { WireEvent } from '@gatehouse/contract/audit/search';
import { type ToldEvent, unreadableIn } from '@gatehouse/contract/audit/tell-event';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { Button } from '@gatehouse/design/button';
import { ONE_LINE } from '@gatehouse/design/class-names';
import { CodeBlock } from '@gatehouse/design/code-block';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { Notice } from '@gatehouse/design/notice';
import { textLinkClass } from '@gatehouse/design/text-link';
import { type ReactNode, useMemo } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useShellActions } from '../../../platform/browser/shell-actions.tsx';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PathLink } from '../../../platform/routing/routing.tsx';
import { usePageCluster } from '../../../platform/sign-in/user.ts';
import { useKinds } from '../../../shared/kinds/kinds-context.tsx';
import type { EventFilter } from '../audit-search-params.ts';
import { EventTime, Message } from '../event-columns.tsx';
import { utcOf } from '../event-row.ts';
import { kindWords } from '../event-words.ts';
import { readableFields } from './event-fields.ts';
import { linksOf } from './event-links.ts';
import styles from './event-panel.module.css';
import { JsonText } from './json-text.tsx';

interface EventDetailsProps {
  clusterId: string;
  raw: WireEvent;
  told: ToldEvent;
  onShowOnly: (filter: EventFilter) => void;
}

export function EventDetails({ clusterId, raw, told, onShowOnly }: EventDetailsProps) {
  const t = useTranslate();
  const unreadable = useMemo(() => unreadableIn(raw), [raw]);
  const { fields, left } = useMemo(() => readableFields(t, raw), [t, raw]);
  return (
    <div className={styles.body}>
      <p className={styles.message}>
        {told.known ? <Message told={told} /> : t('audit-event.unknown', { code: told.code })}
      </p>
      {unreadable.length > 0 && (
        <Notice tone="warn" announce="none">
          {t('audit-event.unreadable', { fields: unreadable.join(', ') })}
        </Notice>
      )}
      <DetailsList details={useFacts(clusterId, raw, told)} />
      <ShowOnly raw={raw} told={told} onShowOnly={onShowOnly} />
      {fields.length > 0 && (
        <section>
          <h3 className={styles.heading}>{t('audit-event.fields')}</h3>
          <DetailsList
            details={fields.map(({ name, value, hint }) => ({ name, value: <bdi title={hint}>{value}</bdi> }))}
          />
          {left > 0 && <p className={styles.faint}>{t('audit-event.more-fields', { count: left })}</p>}
        </section>
      )}
      <RawEvent raw={raw} />
    </div>
  );
}

function RawEvent({ raw }: { raw: WireEvent }) {
  const t = useTranslate();
  const { text, cut } = useMemo(() => rawJson(raw), [raw]);
  return (
    <section>
      <h3 className={styles.heading}>{t('audit-event.raw')}</h3>
      {cut && <p className={styles.faint}>{t('audit-event.cut')}</p>}
      <CodeBlock label={t('audit-event.raw')} code={cut ? JSON.stringify(raw) : text} wrap>
        <JsonText text={text} />
      </CodeBlock>
    </section>
  );
}

/** What every event is asked first: when, who, about what, from where. */
function useFacts(clusterId: string, raw: WireEvent, told: ToldEvent): Detail[] {
  const t = useTranslate();
  const { now } = useBrowser();
  const { mayOpen } = useShellActions();
  const isOwn = usePageCluster() === CURRENT_CLUSTER;
  const links = linksOf(told, raw, { clusterId, isOwn, table: useKinds(), mayOpen });
  const facts: (Detail | false)[] = [
    {
      name: t('audit-event.time'),
      value:
        told.time === '' ? (
          <EventTime time="" />
        ) : (
          <>
            <EventTime time={told.time} />{' '}
            <span className={styles.faint}>{formatRelative(Date.parse(told.time), now())}</span>
            <div className={styles.utc}>{utcOf(told.time)}</div>
          </>
        ),
    },
    told.user !== '' && { name: t('audit-event.user'), value: <Linked path={links.user}>{told.who}</Linked> },
    told.subject.name !== '' && {
      name: kindWords(t, told.subject.kind) || t('audit-event.about'),
      value: <Linked path={links.subject}>{told.subject.name}</Linked>,
    },
    told.session !== '' && {
      name: t('audit-event.session'),
      value: (
        <>
          <Linked path={links.session}>{told.session}</Linked>
          {links.recording && (
            <div>
              <PathLink path={links.recording} className={textLinkClass}>
                {t(links.recording.includes('?') ? 'audit-event.play-statement' : 'audit-event.play')}
              </PathLink>
            </div>
          )}
        </>
      ),
      mono: true,
    },
    told.address !== '' && { name: t('audit-event.from'), value: <bdi>{told.address}</bdi>, mono: true },
    {
      name: t('audit-event.code'),
      value: (
        <bdi>
          {told.code || '—'} <span className={styles.faint}>{told.event}</span>
        </bdi>
      ),
      mono: true,
    },
    requestOf(raw) !== '' && { name: t('audit-event.request'), value: <bdi>{requestOf(raw)}</bdi>, mono: true },
  ];
  // A subject may be a user: then it is named as one, and once.
  const seen = new Set<string>();
  return facts.filter((fact) => fact !== false).filter(({ name }) => !seen.has(name) && seen.add(name));
}

function Linked({ path, children }: { path: string | undefined; children: ReactNode }) {
  if (path === undefined) return <bdi>{children}</bdi>;
  return (
    <PathLink path={path} className={textLinkClass}>
      <bdi>{children}</bdi>
    </PathLink>
  );
}

function ShowOnly({ raw, told, onShowOnly }: Omit<EventDetailsProps, 'clusterId'>) {
  const t = useTranslate();
  const { user, who, subject, session, address, event } = told;
  const requestId = requestOf(raw);
  const ways: { id: string; words: string; filter: EventFilter }[] = [
    { id: requestId, words: t('audit-event.only-request'), filter: { requestId } },
    { id: session, words: t('audit-event.only-session'), filter: { session } },
    { id: user, words: t('audit-event.only-user', { user: who }), filter: { user } },
    {
      id: subject.name,
      words: t('audit-event.only-subject', { name: subject.name }),
      filter: { resourceKind: subject.kind, resourceName: subject.name },
    },
    { id: address, words: t('audit-event.only-address', { address }), filter: { address } },
    { id: event, words: t('audit-event.only-type'), filter: { include: event } },
  ];
  return (
    <section>
      <h3 className={styles.heading}>{t('audit-event.only')}</h3>
      <div className={styles.ways}>
        {ways
          .filter(({ id }) => id !== '')
          .map(({ words, filter }) => (
            <Button key={words} size="small" className={styles.way} onClick={() => onShowOnly(filter)}>
              <bdi className={ONE_LINE}>{words}</bdi>
            </Button>
          ))}
      </div>
    </section>
  );
}

function requestOf(raw: WireEvent): string {
  const { request_id } = raw;
  return typeof request_id === 'string' ? request_id.slice(0, 128) : '';
}
