/** One object beside the list: what it is, what happened to it, and the ways further in. */
import { buttonClass } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { Panel } from '@gatehouse/design/panel';
import { Spinner } from '@gatehouse/design/spinner';
import { TabPanel, Tabs } from '@gatehouse/design/tabs';
import FileCode from 'lucide-react/icons/file-code';
import ScrollText from 'lucide-react/icons/scroll-text';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { PathLink } from '../../../../platform/routing/routing.tsx';
import shared from '../../../../shared/resource-panel/resource-panel.module.css';
import type { ObjectAt, UsedAddress } from '../address.ts';
import styles from '../browse.module.css';
import type { KnownKind } from '../kinds.ts';
import { useObject } from '../use-object.ts';
import { Containers } from './containers.tsx';
import { EventList } from './event-list.tsx';
import { FactsList } from './facts-list.tsx';
import { hasLogs, hasShell } from './object-parts.ts';
import { ObjectProblem } from './object-problem.tsx';

interface ObjectPanelProps {
  kind: KnownKind;
  at: ObjectAt;
  used: UsedAddress;
}

const PARTS = ['summary', 'events'] as const;

export function ObjectPanel({ kind, at, used }: ObjectPanelProps) {
  const t = useTranslate();
  const { apiGroup, apiVersion, resource } = kind;
  const seen = useObject({ apiGroup, apiVersion, resource, namespace: at.namespace, name: at.name });
  const { address, actions, objectPath, shellPath } = used;
  const facts = seen.object?.facts;
  const part = PARTS.find((each) => each === address.tab) ?? 'summary';
  return (
    <Panel
      label={t('kube-browse.panel', { kind: kind.kind, name: at.name })}
      title={<code className={styles.panelTitle}>{at.name}</code>}
      onClose={() => actions.open(undefined)}
      className={shared.panel}
    >
      <ObjectProblem seen={seen} name={at.name} />
      {!facts && !seen.failure && !seen.isGone && <Spinner />}
      {facts && (
        <>
          <div className={styles.actions}>
            {hasLogs(kind) && (
              <PathLink path={objectPath(at, 'logs')} className={buttonClass({ tone: 'primary' })}>
                <Icon of={ScrollText} />
                {t('kube-browse.part-logs')}
              </PathLink>
            )}
            <PathLink path={objectPath(at, 'yaml')} className={buttonClass({})}>
              <Icon of={FileCode} />
              {t('kube-browse.part-yaml')}
            </PathLink>
            <PathLink path={objectPath(at)} className={buttonClass({ tone: 'ghost' })}>
              {t('kube-browse.open-page')}
            </PathLink>
          </div>
          <Tabs
            label={at.name}
            value={part}
            onValueChange={(next) => actions.tab(next === 'summary' ? undefined : next)}
            tabs={PARTS.map((value) => ({ value, label: t(`kube-browse.part-${value}`) }))}
          >
            <TabPanel value="summary" className={shared.tab}>
              <FactsList facts={facts} used={used} />
              <Containers
                facts={facts}
                shellPath={hasShell(kind, facts) ? (container) => shellPath(at, container) : undefined}
              />
            </TabPanel>
            <TabPanel value="events" className={shared.tab}>
              <EventList facts={facts} />
            </TabPanel>
          </Tabs>
        </>
      )}
    </Panel>
  );
}
