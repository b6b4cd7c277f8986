/**
 * Figures of comparable products (Directus 12, Strapi 5, better-auth 1.7), measured separately on the same kind of machine: 2
 * cores, PostgreSQL 15 over TCP, one process, 16 connections, medians of three, with other load. They show the order of magnitude.
 * `npm run bench -- peers` measures invitations and "who am I" of better-auth beside ours in one run.
 */
export const peers = {
  whoAmI: 'Directus 216/s, Strapi 55/s; better-auth: see `peers`',
  firstPage: 'Directus 99 ms, Strapi 413 ms, better-auth 135 ms',
  farPage: 'at page 10,000: Directus 246 ms, Strapi 1,200 ms, better-auth 153 ms',
  contains: 'Directus 1,302 ms, Strapi 887 ms, better-auth 203 ms',
  invite:
    '10,000 people: Directus 18–21/s, Strapi 4–7/s; 1,000,000: 1 s and more, 1.5 s each; better-auth: see `peers`',
  redeem: 'Directus 6/s, Strapi 3–4/s, better-auth 7–10/s (with a password hash)',
  memory: 'Directus 670 MB, Strapi 525 MB, better-auth 252 MB',
  start: 'cold: Directus 5.4 s, Strapi 4.2 s, better-auth 1.3 s',
  loginScript: 'as served: Directus 9.1 MB, Strapi 5.4 MB',
  loginPaint: 'usable, at 9 Mbit/s: Directus 14.6 s, Strapi 12.1 s',
};
