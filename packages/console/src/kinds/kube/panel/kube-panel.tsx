/** One Kubernetes cluster beside the list: how it is reached, who one is there, whether it works, and the way to remove it. */
import { type KubeClusterDetails, kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { TabPanel } from '@gatehouse/design/tabs';
import { useQuery } from '@tanstack/react-query';
import Pencil from 'lucide-react/icons/pencil';
import { Suspense, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import type { OpenResource } from '../../../shared/resource-list/resource-frame.tsx';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import { RemoveResource } from '../../../shared/resource-panel/remove-resource.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { PanelEnds, PanelLabels, PanelTabs, ResourcePanel } from '../../../shared/resource-panel/resource-panel.tsx';
import { ConnectCell } from '../connect/connect-cell.tsx';
import { kubeQuery } from '../kube-queries.ts';
import { InsecureBadge, KubeStatus } from '../kube-status.tsx';
import { TestKube } from './test-kube.tsx';

interface KubePanelProps extends OpenResource {
  onConnect: (name: string) => void;
}

export function KubePanel({ clusterId, name, tab, isPicked, onPick, onTab, onConnect, onClose }: KubePanelProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(kubeQuery(api, clusterId, name));
  return (
    <ResourcePanel
      found={found}
      label={t('kube-panel.title', { name })}
      title={name}
      gone={t('kubernetes.gone', { name })}
      actions={({ item }) => <ConnectCell clusterId={clusterId} cluster={item} onCommands={onConnect} />}
      onClose={onClose}
    >
      {(details) => <KubeTabs {...{ clusterId, details, tab, isPicked, onPick, onTab }} onGone={onClose} />}
    </ResourcePanel>
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
  return (
    <PanelTabs
      label={name}
      tabs={userAcl.connectionDiagnostic.create ? ['facts', 'test'] : ['facts']}
      word={(each) => t(`kube-panel.tab-${each}`)}
      {...{ tab, onTab }}
    >
      <TabPanel value="facts" className={shared.tab}>
        <KubeFacts details={details} />
        <PanelLabels heading={t('kubernetes.labels')} none={t('kube-panel.none')} {...{ labels, isPicked, onPick }} />
        <PanelEnds>
          <EditKube clusterId={clusterId} details={details} />
          <RemoveKube clusterId={clusterId} details={details} onGone={onGone} />
        </PanelEnds>
      </TabPanel>
      <TabPanel value="test" className={shared.tab}>
        <TestKube clusterId={clusterId} details={details} />
      </TabPanel>
    </PanelTabs>
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

const EditKubeDialog = lazyPart(
  () => import('./edit-kube-dialog.tsx').then((file) => file.EditKubeDialog),
  ['resource-list', 'way-there'],
);

interface RemoveKubeProps {
  clusterId: string;
  details: KubeClusterDetails;
  onGone: () => void;
}

function RemoveKube({ clusterId, details: { item }, onGone }: RemoveKubeProps) {
  const t = useTranslate();
  const api = useApi();
  const { userAcl } = useUser();
  const { name, gatehouse } = item;
  if (!userAcl.kubeServers.remove) return null;
  return (
    <RemoveResource
      words={{
        remove: t('kube-panel.remove'),
        title: t('kube-panel.remove-title', { name }),
        text: t('kube-panel.remove-text', { name }),
        removed: t('kube-panel.removed', { name }),
      }}
      announced={gatehouse?.source === 'agent' ? t('kube-panel.remove-agent-text') : undefined}
      remove={() => api(kubeRoutes.remove, { params: { clusterId, name } })}
      onGone={onGone}
    />
  );
}
