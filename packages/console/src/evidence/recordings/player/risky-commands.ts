/** Commands worth a second look: a short list of patterns, told in docs/recordings.md. What fits none of them is not said to be harmless. */

export const RISKS = ['deletes', 'disks', 'stops', 'access', 'network', 'downloads', 'data', 'traces'] as const;
export type Risk = (typeof RISKS)[number];

/** A command begins here: at the start, or after what separates commands or runs one. */
const START = String.raw`(?:^|[;&|(\x60]\s*|\b(?:sudo|doas|exec|nohup|time|xargs|env)\s+(?:-\S+\s+|\w+=\S*\s+)*)(?:\S*\/)?`;
const running = (rest: string) => new RegExp(START + rest);

const PATTERNS: Record<Risk, readonly RegExp[]> = {
  deletes: [
    running(String.raw`rm\s+(?:\S+\s+)*(?:-[a-zA-Z]*[rRf][a-zA-Z]*|--recursive|--force)\b`),
    running(String.raw`(?:shred|srm)\s`),
    running(String.raw`find\s.*\s-delete\b`),
    running(String.raw`(?:kubectl|oc)\s+(?:\S+\s+)*delete\b`),
    running(String.raw`(?:terraform|tofu)\s+(?:\S+\s+)*destroy\b`),
    running(String.raw`(?:docker|podman)\s+(?:system|volume|image|container)\s+(?:prune|rm)\b`),
  ],
  disks: [
    running(String.raw`(?:mkfs(?:\.\w+)?|wipefs|fdisk|sfdisk|parted|cryptsetup|lvremove|vgremove|pvremove)\s`),
    running(String.raw`dd\s.*\bof=`),
  ],
  stops: [
    running(String.raw`(?:shutdown|reboot|poweroff|halt|init\s+[06])\b`),
    running(String.raw`(?:systemctl|service)\s+(?:\S+\s+)*(?:stop|disable|mask|kill)\b`),
    running(String.raw`(?:kill|pkill|killall)\s+(?:\S+\s+)*-(?:9|KILL|SIGKILL)\b`),
  ],
  access: [
    running(String.raw`(?:useradd|adduser|userdel|deluser|usermod|groupadd|gpasswd|passwd|chpasswd|visudo)\b`),
    running(String.raw`chmod\s+(?:\S+\s+)*(?:0?777|[ugoa]*\+[rwx]*s)\b`),
    running(String.raw`ch(?:own|mod)\s+(?:\S+\s+)*(?:-R|--recursive)\s+(?:\S+\s+)*\/\s*$`),
    /(?:>|\btee\b).*(?:authorized_keys|\/etc\/(?:sudoers|passwd|shadow|ssh))/,
  ],
  network: [
    running(String.raw`(?:iptables|ip6tables)\s+(?:\S+\s+)*(?:-F|--flush|-X)\b`),
    running(String.raw`nft\s+flush\b`),
    running(String.raw`ufw\s+(?:disable|reset)\b`),
    running(String.raw`setenforce\s+0\b`),
  ],
  downloads: [
    /\b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:\S*\/)?(?:ba|z|da|k)?sh\b/,
    /\bbase64\s+(?:-d|--decode)\b.*\|\s*(?:ba)?sh\b/,
  ],
  data: [
    /\b(?:drop\s+(?:database|table|schema)|truncate\s+table)\b/i,
    /\bdelete\s+from\s+[\w."`]+\s*;?\s*["']?\s*$/i,
    /\bgit\s+push\s+(?:\S+\s+)*(?:--force|-f)\b/,
    /\bmigrate\b.*--down\b/,
  ],
  traces: [
    running(String.raw`history\s+-[cw]\b`),
    /\bunset\s+HISTFILE\b|\bHISTFILE=(?:\/dev\/null|\s|$)|\bHISTSIZE=0\b/,
    running(String.raw`(?:truncate|shred|rm)\s.*\/var\/log\b`),
    /(?:^|[^>])>\s*\/var\/log\//,
  ],
};

/** Longer ones are text that was pasted: looking for patterns in it would take its time. */
const MAX_LOOKED_AT = 1_000;

/** The first that fits; undefined says nothing about the command. */
export function riskOf(text: string): Risk | undefined {
  const command = text.slice(0, MAX_LOOKED_AT);
  return RISKS.find((risk) => PATTERNS[risk].some((pattern) => pattern.test(command)));
}
