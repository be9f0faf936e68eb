/** One object by itself: what it is, its text to read and change, what happened to it, what it writes. */
import { buttonClass } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { PageHeader } from '@gatehouse/design/page-header';
import { Spinner } from '@gatehouse/design/spinner';
import { TabLinks } from '@gatehouse/design/tab-links';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { PathLink } from '../../../../platform/routing/routing.tsx';
import { TabLine } from '../../../../shared/resource-list/list-frame.tsx';
import type { ObjectAt, UsedAddress } from '../address.ts';
import styles from '../browse.module.css';
import type { KnownKind } from '../kinds.ts';
import { useObject } from '../use-object.ts';
import { Containers } from './containers.tsx';
import { EventList } from './event-list.tsx';
import { FactsList } from './facts-list.tsx';
import { IconLink } from './icon-link.tsx';
import { ObjectActions } from './object-actions.tsx';
import { hasShell, partsOf } from './object-parts.ts';
import { ObjectProblem } from './object-problem.tsx';

const YamlPart = lazyPart(() => import('./yaml-part.tsx').then((file) => file.YamlPart));
const LogsPart = lazyPart(() => import('../logs/logs-part.tsx').then((file) => file.LogsPart), ['kube-logs']);

interface ObjectPageProps {
  kind: KnownKind;
  at: ObjectAt;
  used: UsedAddress;
}

export function ObjectPage({ kind, at, used }: ObjectPageProps) {
  const t = useTranslate();
  const { apiGroup, apiVersion, resource } = kind;
  const ref = { apiGroup, apiVersion, resource, namespace: at.namespace, name: at.name };
  const [isRevealed, setRevealed] = useState(false);
  const seen = useObject(ref, isRevealed);
  const { address, objectPath, listPath, shellPath, follow } = used;
  const parts = partsOf(kind);
  const part = parts.find((each) => each === address.tab) ?? 'summary';
  const { object } = seen;
  return (
    <div className={styles.page}>
      <PageHeader
        title={
          <span className={styles.title}>
            <IconLink
              icon={ChevronLeft}
              label={t('kube-browse.back-to', { kind: resource })}
              path={listPath(at.slug)}
            />
            {at.name}
          </span>
        }
        meta={t('kube-browse.kind-in', { kind: kind.kind, namespace: at.namespace || '–' })}
        actions={
          object && (
            <>
              {hasShell(kind, object.facts) && (
                <PathLink path={shellPath(at)} className={buttonClass({})}>
                  <Icon of={SquareTerminal} />
                  {t('kube-browse.open-shell')}
                </PathLink>
              )}
              <ObjectActions {...{ kind, at, used, object }} target={ref} onGone={() => follow(listPath(at.slug))} />
            </>
          )
        }
      />
      <TabLine>
        <TabLinks
          label={at.name}
          links={parts.map((each) => ({
            href: objectPath(at, each === 'summary' ? undefined : each),
            label: t(`kube-browse.part-${each}`),
            current: each === part,
          }))}
          onFollow={(href, event) => {
            if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0)
              return;
            event.preventDefault();
            follow(href);
          }}
        />
      </TabLine>
      <VisuallyHidden>
        <h2>{t(`kube-browse.part-${part}`)}</h2>
      </VisuallyHidden>
      {part !== 'logs' && part !== 'yaml' && (
        <div className={styles.content}>
          <ObjectProblem seen={seen} name={at.name} />
          {!object && !seen.failure && !seen.isGone && <Spinner />}
          {object && part === 'summary' && (
            <>
              <FactsList facts={object.facts} used={used} />
              <Containers
                facts={object.facts}
                shellPath={hasShell(kind, object.facts) ? (container) => shellPath(at, container) : undefined}
              />
            </>
          )}
          {object && part === 'events' && <EventList facts={object.facts} />}
        </div>
      )}
      {part === 'yaml' && (
        <Suspense fallback={<Spinner />}>
          <YamlPart
            key={`${at.slug} ${at.namespace} ${at.name} ${isRevealed}`}
            target={ref}
            seen={seen}
            onReveal={() => setRevealed(true)}
          />
        </Suspense>
      )}
      {part === 'logs' && (
        <Suspense fallback={<Spinner />}>{object && <LogsPart kind={kind} object={object} />}</Suspense>
      )}
    </div>
  );
}
