/** One desktop beside the list: how it is reached and known, whose passwords are stored, and the ways to change it. */
import { type DesktopDetails, desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { Button } from '@gatehouse/design/button';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { TabPanel } from '@gatehouse/design/tabs';
import { useQuery } from '@tanstack/react-query';
import Pencil from 'lucide-react/icons/pencil';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import type { OpenResource } from '../../../shared/resource-list/resource-frame.tsx';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import { RemoveResource } from '../../../shared/resource-panel/remove-resource.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { PanelEnds, PanelLabels, PanelTabs, ResourcePanel } from '../../../shared/resource-panel/resource-panel.tsx';
import { ConnectCell } from '../connect/connect-cell.tsx';
import type { Connecting } from '../connect/desktop-logins.ts';
import { desktopQuery } from '../desktop-queries.ts';
import { DesktopStatus } from '../desktop-status.tsx';
import { CertificateSection } from './certificate-section.tsx';
import { StoredPasswords } from './stored-passwords.tsx';
import { TestDesktop } from './test-desktop.tsx';

interface DesktopPanelProps extends OpenResource {
  connecting: Connecting;
  onEdit: (name: string) => void;
}

export function DesktopPanel(props: DesktopPanelProps) {
  const { clusterId, name, tab, isPicked, onPick, connecting, onTab, onEdit, onClose } = props;
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(desktopQuery(api, clusterId, name));
  return (
    <ResourcePanel
      found={found}
      label={t('desktop-panel.title', { name })}
      title={name}
      gone={t('desktops.gone', { name })}
      actions={({ item }) => <ConnectCell desktop={item} connecting={connecting} />}
      onClose={onClose}
    >
      {(details) => <DesktopTabs {...{ clusterId, details, tab, isPicked, onPick, onTab, onEdit }} onGone={onClose} />}
    </ResourcePanel>
  );
}

interface DesktopTabsProps extends Omit<DesktopPanelProps, 'name' | 'connecting' | 'onClose'> {
  details: DesktopDetails;
  onGone: () => void;
}

function DesktopTabs({ clusterId, details, tab, isPicked, onPick, onTab, onEdit, onGone }: DesktopTabsProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const { name, labels, gatehouse } = details.item;
  return (
    <PanelTabs
      label={name}
      tabs={userAcl.connectionDiagnostic.create ? ['facts', 'test'] : ['facts']}
      word={(each) => t(`desktop-panel.tab-${each}`)}
      {...{ tab, onTab }}
    >
      <TabPanel value="facts" className={shared.tab}>
        <DesktopFacts details={details} />
        <PanelLabels heading={t('desktops.labels')} none={t('desktop-panel.none')} {...{ labels, isPicked, onPick }} />
        <CertificateSection {...{ clusterId, details }} mayEdit={userAcl.desktops.edit} />
        {userAcl.desktops.edit && (
          <section>
            <h3 className={shared.heading}>{t('desktop-panel.passwords')}</h3>
            <StoredPasswords clusterId={clusterId} details={details} />
          </section>
        )}
        <PanelEnds>
          {gatehouse?.source === 'entered' && userAcl.desktops.edit && (
            <Button icon={Pencil} onClick={() => onEdit(name)}>
              {t('desktop-panel.edit')}
            </Button>
          )}
          <RemoveDesktop clusterId={clusterId} details={details} onGone={onGone} />
        </PanelEnds>
      </TabPanel>
      <TabPanel value="test" className={shared.tab}>
        <TestDesktop clusterId={clusterId} details={details} />
      </TabPanel>
    </PanelTabs>
  );
}

function DesktopFacts({ details }: { details: DesktopDetails }) {
  const t = useTranslate();
  const { item, addr, protocol, domain, askPassword, agent } = details;
  const facts: (Detail | false)[] = [
    { name: t('desktops.status'), value: <DesktopStatus desktop={item} /> },
    { name: t('desktops.address'), value: <CopyValue value={addr} name={t('desktops.address')} /> },
    { name: t('desktop-panel.protocol'), value: protocol.toUpperCase() },
    protocol === 'rdp' && {
      name: t('desktop-panel.domain'),
      value: domain === '' ? t('desktop-panel.local') : domain,
    },
    {
      name: t('desktop-panel.logins'),
      value: item.logins.length === 0 ? t('desktop-panel.none') : item.logins.join(', '),
    },
    { name: t('desktop-panel.ask'), value: t(askPassword ? 'desktop-panel.ask-yes' : 'desktop-panel.ask-no') },
    item.gatehouse !== undefined && {
      name: t('desktop-panel.source'),
      value: t(`desktop-panel.source-${item.gatehouse.source}`),
    },
    {
      name: t('desktop-panel.through'),
      value: !agent
        ? t(item.gatehouse?.through ? 'desktop-panel.through-agent' : 'desktop-panel.through-gateway')
        : agent.connected
          ? agent.name
          : t('desktop-panel.agent-away', { name: agent.name }),
    },
  ];
  return <DetailsList details={facts.filter((fact) => fact !== false)} />;
}

interface RemoveDesktopProps {
  clusterId: string;
  details: DesktopDetails;
  onGone: () => void;
}

function RemoveDesktop({ clusterId, details: { item }, onGone }: RemoveDesktopProps) {
  const t = useTranslate();
  const api = useApi();
  const { userAcl } = useUser();
  const { name, gatehouse } = item;
  if (!userAcl.desktops.remove) return null;
  return (
    <RemoveResource
      words={{
        remove: t('desktop-panel.remove'),
        title: t('desktop-panel.remove-title', { name }),
        text: t('desktop-panel.remove-text', { name }),
        removed: t('desktop-panel.removed', { name }),
      }}
      announced={gatehouse?.source === 'agent' ? t('desktop-panel.remove-agent-text') : undefined}
      remove={() => api(desktopRoutes.remove, { params: { clusterId, name } })}
      onGone={onGone}
    />
  );
}
