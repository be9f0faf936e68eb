/** What a desktop is known by, and how somebody accepts another certificate after comparing it. */
import { certificatePin } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { type DesktopDetails, desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { Button } from '@gatehouse/design/button';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { FetchedCertificate } from '../add/fetched-certificate.tsx';
import { pinOf } from '../add/pin-text.ts';
import styles from '../desktops.module.css';

interface CertificateSectionProps {
  clusterId: string;
  details: DesktopDetails;
  mayEdit: boolean;
}

export function CertificateSection({ clusterId, details, mayEdit }: CertificateSectionProps) {
  const t = useTranslate();
  const [isTrusting, setTrusting] = useState(false);
  const { certificate, provenBy, item } = details;
  return (
    <section>
      <h3 className={shared.heading}>{t('desktop-panel.certificate')}</h3>
      {certificate === undefined &&
        (details.protocol === 'rdp' ? (
          <Notice tone="warn">{t('desktop-panel.certificate-none')}</Notice>
        ) : (
          <p className={styles.lead}>{t('desktop-panel.certificate-vnc')}</p>
        ))}
      {certificate && 'pin' in certificate && (
        <p>
          <code className={styles.pin}>{certificate.pin}</code>
        </p>
      )}
      {certificate && 'ca' in certificate && <p>{t('desktop-panel.certificate-ca', { name: certificate.name })}</p>}
      {provenBy !== undefined && (
        <p className={styles.lead}>{t('desktop-panel.certificate-proven', { login: provenBy })}</p>
      )}
      {mayEdit && (
        <div className={styles.act}>
          <Button onClick={() => setTrusting(true)}>
            {t(certificate ? 'desktop-panel.trust' : 'desktop-panel.trust-first')}
          </Button>
        </div>
      )}
      {isTrusting && <TrustDialog clusterId={clusterId} name={item.name} onClose={() => setTrusting(false)} />}
    </section>
  );
}

interface TrustDialogProps {
  clusterId: string;
  name: string;
  onClose: () => void;
}

function TrustDialog({ clusterId, name, onClose }: TrustDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const [text, setText] = useState('');
  const [isSent, setSent] = useState(false);
  const pin = pinOf(text);
  const isWrong = !certificatePin.safeParse(pin).success;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (isWrong) return;
    if (!(await attempt.run(() => api(desktopRoutes.setCertificate, { params: { clusterId, name }, body: { pin } }))))
      return;
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
    onClose();
    toast.show({ tone: 'ok', title: t('desktop-panel.trusted', { name }) });
  };
  return (
    <FormDialog
      title={t('desktop-panel.trust-title', { name })}
      cancelWord={t('desktop-panel.cancel')}
      doWord={t('desktop-panel.trust-confirm')}
      isBusy={attempt.isBusy}
      onSubmit={submit}
      onClose={onClose}
      className={styles.stack}
    >
      <p className={styles.lead}>{t('desktop-panel.trust-text')}</p>
      <FetchedCertificate
        fetch={async () => (await api(desktopRoutes.readCertificate, { params: { clusterId, name } })).shown}
        onTaken={setText}
      />
      <TextField
        label={t('desktop-panel.pin')}
        hint={t('desktop-panel.pin-hint')}
        mono
        value={text}
        onValueChange={setText}
        error={isSent && isWrong ? t('desktop-panel.pin-wrong') : undefined}
      />
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
    </FormDialog>
  );
}
