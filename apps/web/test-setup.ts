/** Activates English, whose texts are in the code, for all tests. */
import { i18n } from '@lingui/core';

i18n.loadAndActivate({ locale: 'en', messages: {} });
