-- Earlier checksum: cc28273dbf283c6e379ccc8401c9ed1407b8e5cc3d8b9656b33537fa81ba7f06
-- Time at which the provider issued the logout token, by its clock. Later sign-ins of the person are not ended.
alter table logout_token_ids add issued_at timestamptz;
