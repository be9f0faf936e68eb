/** One Kubernetes cluster beside the list: how it is reached, who one is there, whether it works, and the way to remove it. */
import { type KubeClusterDetails, kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import type { Label } from '@gatehouse/contract/std/labels';
import { Button } from '@gatehouse/design/button';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { Panel } from '@gatehouse/design/panel';
import { Spinner } from '@gatehouse/design/spinner';
import { TabPanel, Tabs } from '@gatehouse/design/tabs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import Pencil from 'lucide-react/icons/pencil';
import Trash2 from 'lucide-react/icons/trash-2';
import { lazy, Suspense, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { fetchCode } from '../../../platform/code/fetch-code.ts';
import { failureWords, refusalOf } from '../../../platform/failures/failure-words.ts';
import { loadWords, useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { ConnectCell } from '../connect/connect-cell.tsx';
import { kubeQuery } from '../kube-queries.ts';
import { InsecureBadge, KubeStatus } from '../kube-status.tsx';
import styles from '../kubernetes.module.css';
import { TestKube } from './test-kube.tsx';

interface KubePanelProps {
  clusterId: string;
  name: string;
  tab: string | undefined;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  onTab: (tab: string | undefined) => void;
  onConnect: (name: string) => void;
  onClose: () => void;
}

export function KubePanel({ clusterId, name, tab, isPicked, onPick, onTab, onConnect, onClose }: KubePanelProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(kubeQuery(api, clusterId, name));
  const isGone = refusalOf(found.error)?.code === 'not_found';
  const details = isGone ? undefined : found.data;
  return (
    <Panel
      label={t('kube-panel.title', { name })}
      title={name}
      actions={details && <ConnectCell clusterId={clusterId} cluster={details.item} onCommands={onConnect} />}
      onClose={onClose}
      className={shared.panel}
    >
      {found.error && (
        <Notice tone={isGone ? 'warn' : 'bad'}>
          {isGone ? t('kubernetes.gone', { name }) : failureWords(t, found.error)}
        </Notice>
      )}
      {found.isPending && <Spinner />}
      {details && <KubeTabs {...{ clusterId, details, tab, isPicked, onPick, onTab }} onGone={onClose} />}
    </Panel>
  );
}

interface KubeTabsProps extends Omit<KubePanelProps, 'name' | 'onClose' | 'onConnect'> {
  details: KubeClusterDetails;
  onGone: () => void;
}

function KubeTabs({ clusterId, details, tab, isPicked, onPick, onTab, onGone }: KubeTabsProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const { name, labels } = details.item;
  const tabs = (['facts', 'test'] as const).filter((each) => each === 'facts' || userAcl.connectionDiagnostic.create);
  const shown = tabs.find((each) => each === tab) ?? 'facts';
  return (
    <Tabs
      label={name}
      value={shown}
      onValueChange={(next) => onTab(next === 'facts' ? undefined : next)}
      tabs={tabs.map((value) => ({ value, label: t(`kube-panel.tab-${value}`) }))}
    >
      <TabPanel value="facts" className={shared.tab}>
        <KubeFacts details={details} />
        <section>
          <h3 className={shared.heading}>{t('kubernetes.labels')}</h3>
          <div className={shared.labels}>
            {labels.map((label) => (
              <LabelChip key={label.name} {...label} active={isPicked(label)} onClick={() => onPick(label)} />
            ))}
            {labels.length === 0 && <span className={shared.faint}>{t('kube-panel.none')}</span>}
          </div>
        </section>
        <div className={styles.ends}>
          <EditKube clusterId={clusterId} details={details} />
          <RemoveKube clusterId={clusterId} details={details} onGone={onGone} />
        </div>
      </TabPanel>
      <TabPanel value="test" className={shared.tab}>
        <TestKube clusterId={clusterId} details={details} />
      </TabPanel>
    </Tabs>
  );
}

function KubeFacts({ details }: { details: KubeClusterDetails }) {
  const t = useTranslate();
  const { item, ca, serverName, insecureSkipVerify, namespaces, agents } = details;
  const more = item.gatehouse;
  const named = (names: readonly string[], none: string) => (names.length === 0 ? none : names.join(', '));
  const tls = insecureSkipVerify ? 'tls-insecure' : ca === '' ? 'tls-known' : 'tls-own';
  const facts: (Detail | false)[] = [
    { name: t('kubernetes.status'), value: <KubeStatus cluster={item} /> },
    { name: t('kube-panel.server'), value: <CopyValue value={details.server} name={t('kube-panel.server')} /> },
    {
      name: t('kube-panel.tls'),
      value: (
        <span className={shared.pair}>
          {t(`kube-panel.${tls}`)} <InsecureBadge cluster={item} />
        </span>
      ),
    },
    serverName !== '' && { name: t('kube-panel.server-name'), value: <code>{serverName}</code> },
    more !== undefined && {
      name: t('kube-panel.credential'),
      value: t(`kube-panel.credential-${more.credential}`),
    },
    more?.credentialEnds !== undefined && {
      name: t('kube-panel.credential-ends'),
      value: formatDateTime(more.credentialEnds),
    },
    { name: t('kube-panel.users'), value: named(item.kubernetes_users, t('kube-panel.own-name')) },
    { name: t('kube-panel.groups'), value: named(item.kubernetes_groups, t('kubernetes.no-groups')) },
    namespaces.length > 0 && { name: t('kube-panel.namespaces'), value: namespaces.join(', ') },
    more !== undefined && { name: t('kube-panel.source'), value: t(`kube-panel.source-${more.source}`) },
    {
      name: t('kube-panel.through'),
      value:
        agents.length === 0
          ? t('kube-panel.through-gateway')
          : agents.map(({ name, connected }) => (connected ? name : t('kube-panel.agent-away', { name }))).join(', '),
    },
  ];
  return <DetailsList details={facts.filter((fact) => fact !== false)} />;
}

/** What agents announce is written in their configuration. */
function EditKube({ clusterId, details }: { clusterId: string; details: KubeClusterDetails }) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const [isOpen, setOpen] = useState(false);
  if (!userAcl.kubeServers.edit || details.item.gatehouse?.source !== 'entered') return null;
  return (
    <>
      <Button icon={Pencil} onClick={() => setOpen(true)}>
        {t('kube-panel.edit')}
      </Button>
      {isOpen && (
        <Suspense>
          <EditKubeDialog clusterId={clusterId} details={details} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const EditKubeDialog = lazy(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./edit-kube-dialog.tsx')),
    loadWords(['resource-list', 'way-there']),
  ]);
  return { default: file.EditKubeDialog };
});

interface RemoveKubeProps {
  clusterId: string;
  details: KubeClusterDetails;
  onGone: () => void;
}

/** One that agents announce would be back at once, so it goes with them. */
function RemoveKube({ clusterId, details: { item }, onGone }: RemoveKubeProps) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const { userAcl } = useUser();
  const [isAsking, setAsking] = useState(false);
  const { name } = item;
  if (!userAcl.kubeServers.remove) return null;
  if (item.gatehouse?.source === 'agent') return <p className={styles.lead}>{t('kube-panel.remove-agent-text')}</p>;
  const remove = async () => {
    await api(kubeRoutes.remove, { params: { clusterId, name } });
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
  };
  return (
    <>
      <Button tone="danger" icon={Trash2} onClick={() => setAsking(true)}>
        {t('kube-panel.remove')}
      </Button>
      {isAsking && (
        <AskDialog
          title={t('kube-panel.remove-title', { name })}
          confirmWord={t('kube-panel.remove')}
          run={remove}
          done={t('kube-panel.removed', { name })}
          onClose={() => setAsking(false)}
          onDone={onGone}
        >
          {t('kube-panel.remove-text', { name })}
        </AskDialog>
      )}
    </>
  );
}
