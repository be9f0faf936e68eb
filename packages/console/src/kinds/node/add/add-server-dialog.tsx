/** Adds a server: says what it is, gives the command to run on it, and waits until it has joined. */
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { JoinSteps } from '../../../shared/enrolment/join-steps.tsx';
import type { JoinToken } from '../../../shared/enrolment/join-token.ts';
import { ConnectCell, type Connecting } from '../connect/connect-cell.tsx';
import { SERVERS } from '../server-queries.ts';
import { JoinForm, type JoinMethod } from './join-form.tsx';
import { ManualJoin } from './manual-join.tsx';

interface AddServerDialogProps {
  clusterId: string;
  connecting: Connecting;
  onClose: () => void;
}

export function AddServerDialog({ clusterId, connecting, onClose }: AddServerDialogProps) {
  const t = useTranslate();
  const [way, setWay] = useState<JoinMethod>('agent');
  const [token, setToken] = useState<JoinToken>();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('servers.add')}
      footer={<Button onClick={onClose}>{t(token ? 'joining.done' : 'joining.cancel')}</Button>}
    >
      <JoinSteps
        list={SERVERS}
        words="add-server"
        clusterId={clusterId}
        form={<JoinForm way={way} onWay={setWay} token={token} onToken={setToken} />}
        token={token}
        onAgain={() => setToken(undefined)}
        command={(way === 'agent' ? token?.command : token?.openSshCommand) ?? ''}
        manual={token && <ManualJoin way={way} token={token} />}
        nameOf={({ hostname }) => hostname}
        next={(node) => <ConnectCell node={node} connecting={connecting} />}
      />
    </Dialog>
  );
}
