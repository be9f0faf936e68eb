/** The commands by which kubectl, helm and the like reach a cluster. */
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Dialog } from '@gatehouse/design/dialog';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../kubernetes.module.css';

export function CommandsDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const t = useTranslate();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('kubernetes.commands-for', { name })}
      footer={<Button onClick={onClose}>{t('kubernetes.close')}</Button>}
    >
      <div className={styles.stack}>
        <CopyField label={t('kubernetes.sign-in')} value={`gatehouse login ${window.location.origin}`} />
        <CopyField label={t('kubernetes.log-in')} value={`gatehouse kube login ${name}`} />
        <CopyField label={t('kubernetes.try')} value="kubectl get pods" />
        <CopyField label={t('kubernetes.config')} value={`gatehouse kube config ${name}`} />
        <p className={styles.lead}>{t('kubernetes.no-password')}</p>
      </div>
    </Dialog>
  );
}
