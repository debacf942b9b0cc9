//! `greenroom/plugin.h`, as far as a camera needs it. Names are the header's; sizes are asserted
//! below, as the header asserts them.
#![allow(non_camel_case_types, dead_code)]

use std::os::raw::{c_char, c_void};

pub type gr_status = i32;
pub const GR_STATUS_OK: gr_status = 0;
pub const GR_STATUS_BAD_SETTING: gr_status = 25;
pub const GR_STATUS_FAILED: gr_status = 40;
pub const GR_STATUS_UNSUPPORTED: gr_status = 42;

pub const GR_ABI_MAJOR: u16 = 1;
pub const GR_ABI_MINOR: u16 = 0;
pub const GR_KIND_VIDEO_SOURCE: u32 = 1;
pub const GR_FORMAT_I420: u32 = 1;
pub const GR_RANGE_LIMITED: u32 = 1;
pub const GR_MATRIX_BT601: u32 = 1;
pub const GR_TYPE_INTEGER: u32 = 2;
pub const GR_PARAMETER_LIVE: u32 = 1;
pub const GR_PARAMETER_BOUNDED: u32 = 4;
pub const GR_EXT_LIVE_PARAMETERS: &[u8] = b"greenroom.live-parameters/1\0";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gr_frame_info {
    pub struct_size: u32,
    pub rotation: u32,
    pub range: u32,
    pub matrix: u32,
    pub offer_revision: u32,
    pub reserved: u32,
    pub pts_ns: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gr_mutable_plane {
    pub data: *mut u8,
    pub size_bytes: u64,
    pub stride_bytes: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gr_mutable_frame {
    pub struct_size: u32,
    pub format: u32,
    pub width: u32,
    pub height: u32,
    pub plane_count: u32,
    pub reserved: u32,
    pub planes: [gr_mutable_plane; 3],
    pub info: gr_frame_info,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gr_lease {
    pub struct_size: u32,
    pub reserved: u32,
    pub id: u64,
    pub frame: gr_mutable_frame,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct gr_capability {
    pub width: u32,
    pub height: u32,
    pub fps_numerator: u32,
    pub fps_denominator: u32,
}

#[repr(C)]
pub struct gr_offer {
    pub struct_size: u32,
    pub revision: u32,
    pub rule: u32,
    pub reason: u32,
    pub rows: *const gr_capability,
    pub row_count: u32,
    pub reserved: u32,
    pub suggested: gr_capability,
}

#[repr(C)]
pub struct gr_answer {
    pub struct_size: u32,
    pub kind: u32,
    pub capability: gr_capability,
}

#[repr(C)]
pub struct gr_value {
    pub type_: u32,
    pub reserved: u32,
    pub integer: i64,
    pub number: f64,
    pub string: *const c_char,
}

#[repr(C)]
pub struct gr_parameter {
    pub struct_size: u32,
    pub type_: u32,
    pub flags: u32,
    pub choice_count: u32,
    pub name: *const c_char,
    pub title: *const c_char,
    pub unit: *const c_char,
    pub choices: *const *const c_char,
    pub default_value: gr_value,
    pub minimum: f64,
    pub maximum: f64,
}

#[repr(C)]
pub struct gr_setting {
    pub name: *const c_char,
    pub value: gr_value,
}

#[repr(C)]
pub struct gr_host {
    pub struct_size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub name: *const c_char,
    pub version: *const c_char,
    pub log: unsafe extern "C" fn(u64, u32, *const c_char),
    pub set_error: unsafe extern "C" fn(u64, *const c_char),
    pub give_up: unsafe extern "C" fn(u64, gr_status, *const c_char),
    pub now_ns: unsafe extern "C" fn(u64) -> i64,
    pub wait_until_ns: unsafe extern "C" fn(u64, i64) -> gr_status,
    pub refusal_text: unsafe extern "C" fn(*mut c_char, u64) -> u64,
    pub get_extension: unsafe extern "C" fn(u64, *const c_char) -> *const c_void,
}

#[repr(C)]
pub struct gr_video_functions {
    pub struct_size: u32,
    pub reserved: u32,
    pub send: unsafe extern "C" fn(u64, *const c_void) -> gr_status,
    pub acquire: unsafe extern "C" fn(u64, u32, u32, u32, *mut gr_lease) -> gr_status,
    pub commit: unsafe extern "C" fn(u64, u64, *const gr_frame_info) -> gr_status,
    pub abandon: unsafe extern "C" fn(u64, u64) -> gr_status,
}

#[repr(C)]
pub struct gr_initialize {
    pub struct_size: u32,
    pub reserved: u32,
    pub sender: u64,
    pub video: *const gr_video_functions,
    pub audio: *const c_void,
    pub offer: *const gr_offer,
    pub answer: *mut gr_answer,
}

#[repr(C)]
pub struct gr_plugin {
    pub struct_size: u32,
    pub reserved: u32,
    pub self_: *mut c_void,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub initialize: unsafe extern "C" fn(*mut c_void, *const gr_initialize) -> gr_status,
    pub property_change:
        Option<unsafe extern "C" fn(*mut c_void, *const gr_offer, *mut gr_answer) -> gr_status>,
    pub start_send: unsafe extern "C" fn(*mut c_void) -> gr_status,
    pub stop_send: unsafe extern "C" fn(*mut c_void),
    pub uninitialize: unsafe extern "C" fn(*mut c_void),
    pub get_extension: Option<unsafe extern "C" fn(*mut c_void, *const c_char) -> *const c_void>,
}

#[repr(C)]
pub struct gr_descriptor {
    pub struct_size: u32,
    pub kind: u32,
    pub id: *const c_char,
    pub name: *const c_char,
    pub version: *const c_char,
    pub summary: *const c_char,
    pub vendor: *const c_char,
    pub url: *const c_char,
    pub parameters: *const gr_parameter,
    pub parameter_count: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct gr_create {
    pub struct_size: u32,
    pub setting_count: u32,
    pub instance: u64,
    pub host: *const gr_host,
    pub settings: *const gr_setting,
}

#[repr(C)]
pub struct gr_entry {
    pub struct_size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub plugin_count: u32,
    pub reserved: u32,
    pub descriptor: unsafe extern "C" fn(u32) -> *const gr_descriptor,
    pub create: unsafe extern "C" fn(u32, *const gr_create, *mut *const gr_plugin) -> gr_status,
}

#[repr(C)]
pub struct gr_live_parameters {
    pub struct_size: u32,
    pub reserved: u32,
    pub set: unsafe extern "C" fn(*mut c_void, *const gr_setting) -> gr_status,
}

// Safe to share: these tables never change, nor what they point to, and the functions of a host that
// this camera calls from its thread may be called from any.
unsafe impl Sync for gr_host {}
unsafe impl Sync for gr_parameter {}
unsafe impl Sync for gr_descriptor {}

/// `sizeof`, as `struct_size` wants it.
pub const fn size<T>() -> u32 {
    std::mem::size_of::<T>() as u32
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size::<gr_frame_info>() == 32);
    assert!(size::<gr_mutable_plane>() == 24);
    assert!(size::<gr_mutable_frame>() == 128);
    assert!(size::<gr_lease>() == 144);
    assert!(size::<gr_capability>() == 16);
    assert!(size::<gr_offer>() == 48);
    assert!(size::<gr_answer>() == 24);
    assert!(size::<gr_value>() == 32);
    assert!(size::<gr_parameter>() == 96);
    assert!(size::<gr_setting>() == 40);
    assert!(size::<gr_host>() == 80);
    assert!(size::<gr_video_functions>() == 40);
    assert!(size::<gr_initialize>() == 48);
    assert!(size::<gr_plugin>() == 72);
    assert!(size::<gr_descriptor>() == 72);
    assert!(size::<gr_create>() == 32);
    assert!(size::<gr_entry>() == 32);
    assert!(size::<gr_live_parameters>() == 16);
};
