const hosts = [
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'sts.windows.net',
];

/** Returns whether an issuer is a tenant of Entra ID. */
export const isEntra = (issuer: string): boolean => hosts.includes(new URL(issuer).hostname);
