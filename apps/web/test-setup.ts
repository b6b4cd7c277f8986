/** The web's plain functions speak English in their tests; the texts stand in the code. */
import { i18n } from '@lingui/core';

i18n.loadAndActivate({ locale: 'en', messages: {} });
