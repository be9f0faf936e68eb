/** Changes a server or takes it out of the list. One that an agent announces says itself what it is, and goes with its agent. */
import { type Node, nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { useQueryClient } from '@tanstack/react-query';
import Pencil from 'lucide-react/icons/pencil';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import styles from './server-panel.module.css';

interface ChangeServerProps {
  node: Node;
  onEdit: () => void;
  onGone: () => void;
}

export function ChangeServer({ node, onEdit, onGone }: ChangeServerProps) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const { userAcl } = useUser();
  const [isAsking, setAsking] = useState(false);
  const server = node.hostname;
  if (node.gatehouse?.type === 'agent') {
    if (!userAcl.tokens.remove) return null;
    return (
      <section className={styles.remove}>
        <h3 className={shared.heading}>{t('server-panel.remove')}</h3>
        <p className={styles.lead}>{t('server-panel.remove-agent-text')}</p>
        <CopyField name={t('server-panel.remove')} value={`gatehouse agents rm ${server}`} />
      </section>
    );
  }
  if (!userAcl.nodes.remove && !userAcl.nodes.edit) return null;
  const remove = async () => {
    await api(nodeRoutes.remove, { params: { clusterId: node.siteId, id: node.id } });
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
  };
  return (
    <section className={styles.remove}>
      <div className={styles.buttons}>
        {userAcl.nodes.edit && (
          <Button icon={Pencil} onClick={onEdit}>
            {t('server-panel.edit')}
          </Button>
        )}
        {userAcl.nodes.remove && (
          <Button tone="danger" icon={Trash2} onClick={() => setAsking(true)}>
            {t('server-panel.remove')}
          </Button>
        )}
      </div>
      {isAsking && (
        <AskDialog
          title={t('server-panel.remove-title', { server })}
          confirmWord={t('server-panel.remove')}
          run={remove}
          done={t('server-panel.removed', { server })}
          onClose={() => setAsking(false)}
          onDone={onGone}
        >
          {t('server-panel.remove-text', { server })}
        </AskDialog>
      )}
    </section>
  );
}
