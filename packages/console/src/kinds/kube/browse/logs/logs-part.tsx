/** The logs of a pod, or of all pods of a workload together: followed, searched, paused, downloaded. */
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { Switch } from '@gatehouse/design/switch';
import { TextField } from '@gatehouse/design/text-field';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import Download from 'lucide-react/icons/download';
import Pause from 'lucide-react/icons/pause';
import TextSearch from 'lucide-react/icons/text-search';
import { useDeferredValue, useMemo, useState } from 'react';
import { formatBytes, formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { type KnownKind, PODS } from '../kinds.ts';
import { FailureWords } from '../lists/list-problems.tsx';
import { type KubeObject, podSelector } from '../read-object.ts';
import { useRows } from '../use-rows.ts';
import { COLOURS, LogLines } from './log-lines.tsx';
import styles from './logs.module.css';
import { useHits } from './use-hits.ts';
import { type LogSource, MAX_SOURCES, TAIL_LINES, useLogs } from './use-logs.ts';
import { useWholeSearch } from './use-whole-search.ts';
import { WholeSearchFoot } from './whole-search-foot.tsx';

const SINCE = ['all', '300', '900', '3600', '86400'] as const;
type Since = (typeof SINCE)[number];
/** The end of its name tells pods of one workload apart. */
const SHORT_NAME = 12;

export function LogsPart({ kind, object }: { kind: KnownKind; object: KubeObject }) {
  const t = useTranslate();
  const { metadata, spec } = object.facts;
  const isPod = kind.resource === 'pods';
  const containers = (isPod ? spec.containers : (spec.template?.spec.containers ?? [])).map(({ name }) => name);
  const [chosen, setChosen] = useState('');
  const container = containers.includes(chosen) ? chosen : (containers[0] ?? '');
  const selector = isPod ? undefined : podSelector(object.facts);
  const pods = useRows(
    selector === undefined ? [] : [{ kind: PODS, namespace: metadata.namespace, labelSelector: selector }],
  );
  const names = isPod
    ? [metadata.name]
    : [...pods.rows.values()].filter(({ mark }) => mark !== 'gone').map(({ name }) => name);
  const sources: LogSource[] = names
    .sort()
    .slice(0, MAX_SOURCES)
    .map((pod) => ({ namespace: metadata.namespace, pod, container }));

  const [previous, setPrevious] = useState(false);
  const [since, setSince] = useState<Since>('all');
  const [isWhole, setWhole] = useState(false);
  const [showsTime, setShowsTime] = useState(true);
  const [onlyHits, setOnlyHits] = useState(false);
  const [isFollowing, setFollowing] = useState(true);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim().toLowerCase());
  const [hit, setHit] = useState<number>();

  const { book, version, failures } = useLogs(container === '' ? [] : sources, {
    ...{ previous, isWhole },
    sinceSeconds: since === 'all' ? undefined : Number(since),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the book is the same, filled further
  const all = useMemo(
    () =>
      hidden.size === 0 ? book.lines.slice() : book.lines.filter(({ source }) => !hidden.has(names[source] ?? '')),
    [book, version, hidden],
  );
  const { hits, isWhole: isFound } = useHits(all, search);
  const isOnlyHits = onlyHits && search !== '';
  const lines = useMemo(() => (isOnlyHits ? hits.flatMap((at) => all[at] ?? []) : all), [isOnlyHits, hits, all]);
  const whole = useWholeSearch(
    container === '' ? [] : sources.map((source) => (hidden.has(source.pod) ? undefined : source)),
    previous,
  );
  const isWholeSearch = whole.words !== '';
  const current = hit === undefined ? undefined : isOnlyHits ? hit : hits[hit];
  const go = (by: 1 | -1) => {
    if (isWholeSearch) {
      whole.go(by);
      return;
    }
    if (hits.length === 0) return;
    setFollowing(false);
    setHit((before) =>
      before === undefined ? (by === 1 ? 0 : hits.length - 1) : (before + by + hits.length) % hits.length,
    );
  };
  const shown = isWholeSearch ? (whole.around?.lines ?? whole.hits) : lines;
  const nameOf = (source: number) => (names.length > 1 ? (names[source] ?? '').slice(-SHORT_NAME) : '');
  const download = () => {
    const text = shown.map((line) => `${line.at} ${names[line.source] ?? ''} ${line.text}\n`);
    const url = URL.createObjectURL(new Blob(text, { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${metadata.name}.log`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <div className={styles.logs}>
      <div className={styles.tools}>
        <TextField
          type="search"
          label={t('kube-logs.search')}
          labelHidden
          placeholder={t('kube-logs.search')}
          focusKey="/"
          className={styles.search}
          value={typed}
          onValueChange={(text) => {
            setTyped(text);
            setHit(undefined);
            whole.leave();
          }}
          onClear={() => {
            setTyped('');
            whole.leave();
          }}
          onKeyDown={(event) => event.key === 'Enter' && go(event.shiftKey ? -1 : 1)}
          end={
            search !== '' &&
            !isWholeSearch && (
              <span className={styles.faint} role="status">
                {isFound
                  ? t('kube-logs.hits', { at: hit === undefined ? 0 : hit + 1, count: hits.length })
                  : t('kube-logs.searching')}
              </span>
            )
          }
        />
        <IconButton icon={ArrowUp} label={t('kube-logs.hit-before')} onClick={() => go(-1)} />
        <IconButton icon={ArrowDown} label={t('kube-logs.hit-after')} onClick={() => go(1)} />
        <Button icon={TextSearch} disabled={search === '' || isWholeSearch} onClick={() => whole.begin(typed.trim())}>
          {t('kube-logs.whole')}
        </Button>
        <Switch label={t('kube-logs.only-hits')} checked={onlyHits} onCheckedChange={setOnlyHits} />
        {containers.length > 1 && (
          <Select
            label={t('kube-logs.container')}
            labelHidden
            value={container}
            onValueChange={setChosen}
            options={containers.map((name) => ({ value: name, label: name }))}
          />
        )}
        <Select
          label={t('kube-logs.from')}
          labelHidden
          value={isWhole ? 'whole' : 'tail'}
          onValueChange={(from) => setWhole(from === 'whole')}
          options={[
            { value: 'tail', label: t('kube-logs.from-tail', { count: formatNumber(TAIL_LINES) }) },
            { value: 'whole', label: t('kube-logs.from-first') },
          ]}
        />
        <Select
          label={t('kube-logs.since')}
          labelHidden
          value={since}
          onValueChange={setSince}
          options={SINCE.map((value) => ({ value, label: t(`kube-logs.since-${value}`) }))}
        />
        <Switch label={t('kube-logs.previous')} checked={previous} onCheckedChange={setPrevious} />
        <Switch label={t('kube-logs.time')} checked={showsTime} onCheckedChange={setShowsTime} />
        <Button icon={Download} onClick={download}>
          {t('kube-logs.download')}
        </Button>
      </div>
      {names.length > 1 && (
        <fieldset className={styles.pods}>
          <legend className={styles.legend}>{t('kube-logs.pods')}</legend>
          {names.slice(0, MAX_SOURCES).map((name, at) => (
            <button
              key={name}
              type="button"
              className={styles.chip}
              data-colour={at % COLOURS}
              aria-pressed={!hidden.has(name)}
              title={name}
              onClick={() =>
                setHidden((before) => {
                  const next = new Set(before);
                  if (!next.delete(name)) next.add(name);
                  return next;
                })
              }
            >
              {name.slice(-SHORT_NAME)}
            </button>
          ))}
          {names.length > MAX_SOURCES && (
            <span className={styles.faint}>{t('kube-logs.more-pods', { count: names.length - MAX_SOURCES })}</span>
          )}
        </fieldset>
      )}
      {(isWholeSearch ? whole.failures : failures).slice(0, 2).map(({ source, failure }) => (
        <Notice key={source.pod} tone={failure.status === 400 ? 'warn' : 'bad'} title={source.pod}>
          <FailureWords failure={failure} />
        </Notice>
      ))}
      <LogLines
        key={!isWholeSearch ? 'log' : whole.around ? 'around' : 'hits'}
        label={t(isWholeSearch && !whole.around ? 'kube-logs.hits-of' : 'kube-logs.log-of', { name: metadata.name })}
        lines={shown}
        version={version}
        nameOf={nameOf}
        showsTime={showsTime}
        search={search}
        {...(isWholeSearch
          ? { current: whole.around ? whole.around.place : whole.at, isFollowing: false, onFollowing() {} }
          : { current, isFollowing, onFollowing: setFollowing })}
        pick={
          isWholeSearch && !whole.around
            ? { label: ({ text }) => t('kube-logs.around', { text: text.slice(0, 40) }), on: whole.pick }
            : undefined
        }
      />
      {isWholeSearch ? (
        <WholeSearchFoot search={whole} />
      ) : (
        <footer className={styles.foot}>
          <span>
            {t('kube-logs.size', { lines: formatNumber(lines.length), size: formatBytes(book.size) })}
            {!isWhole && ` ${t('kube-logs.not-read', { count: formatNumber(TAIL_LINES) })}`}
            {book.dropped > 0 && ` ${t('kube-logs.dropped', { count: book.dropped })}`}
          </span>
          {!isFollowing && (
            <span className={styles.paused} role="status">
              <Icon of={Pause} size={14} />
              {t('kube-logs.paused')}
              <Button size="small" tone="primary" icon={ArrowDown} onClick={() => setFollowing(true)}>
                {t('kube-logs.follow')}
              </Button>
            </span>
          )}
        </footer>
      )}
    </div>
  );
}
