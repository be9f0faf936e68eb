/** The themes to choose from, with their words and icons. */
import type { ThemeChoice } from '@gatehouse/design/theme';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import { useTranslate } from '../platform/i18n/words.ts';

export function useThemeOptions() {
  const t = useTranslate();
  const option = (value: ThemeChoice, label: string, icon: typeof Sun) => ({ value, label, icon });
  return [
    option('dark', t('common.theme-dark'), Moon),
    option('light', t('common.theme-light'), Sun),
    option('system', t('common.theme-system'), Monitor),
  ];
}
